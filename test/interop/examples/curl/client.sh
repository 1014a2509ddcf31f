#!/bin/sh
# Adds a subscriber with names, custom fields, gender, birthday and country.
# Change the address, the key, the list and the ids of the custom fields. Then: sh client.sh
endpoint=https://mail.example.org/default.asmx
key=0123456789ABCDEF0123456789ABCDEF
list=1

# In texts write &amp; for &, and &lt; for <. The namespace is the address without /default.asmx.
answer=$(curl --silent --show-error --header 'Content-Type: text/xml; charset=utf-8' \
  --data-binary @- "$endpoint" <<XML
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <Subscriber.AddwithBasicandCustoms xmlns="${endpoint%/*}">
      <APIKey>$key</APIKey>
      <SubscribersListID>$list</SubscribersListID>
      <FirstName>Zoë</FirstName>
      <LastName>Müller</LastName>
      <EMail>zoe@example.org</EMail>
      <CustomsFields>
        <customField><Customfieldid>1</Customfieldid><Value>Zürich</Value></customField>
        <customField><Customfieldid>2</Customfieldid><Value>premium</Value></customField>
      </CustomsFields>
      <Gender>F</Gender>
      <Birthday>1985-12-10T00:00:00</Birthday>
      <CountryID>756</CountryID>
    </Subscriber.AddwithBasicandCustoms>
  </soap:Body>
</soap:Envelope>
XML
) || exit 1 # the service was not reached; curl has printed the reason

# The text of an element that occurs once in the response; empty if it is missing.
value() { printf '%s\n' "$answer" | sed -n "s|.*<$1>\([^<]*\)</$1>.*|\1|p"; }

byte=$(value Subscriber.AddwithBasicandCustomsResult)
case $byte in
  0) echo added ;;
  '')
    # InvalidApiKey: the key is missing, unknown, revoked or expired.
    echo "fault $(value code): $(value faultstring)"
    ;;
  *) echo "refused: $byte" ;; # 206: unsubscribed earlier; nothing was changed
esac
