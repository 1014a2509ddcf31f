#!/bin/sh
# Takes curl through the steps on standard input. sh client.sh ENDPOINT 1.1|1.2
endpoint=$1 version=$2

# <call>
namespace=${endpoint%/*} # the address without /default.asmx

# call OPERATION PARAMETERS: calls an operation. PARAMETERS is XML.
# Sets $answer to the response and $status to the HTTP status.
call() {
  if [ "$version" = 1.2 ]; then
    envelope=http://www.w3.org/2003/05/soap-envelope
    type='application/soap+xml; charset=utf-8'
  else
    envelope=http://schemas.xmlsoap.org/soap/envelope/
    type='text/xml; charset=utf-8'
  fi
  answer=$(curl --silent --show-error --write-out '\n%{http_code}' --header "Content-Type: $type" \
    --data-binary @- "$endpoint" <<XML
<soap:Envelope xmlns:soap="$envelope">
  <soap:Body>
    <$1 xmlns="$namespace">$2</$1>
  </soap:Body>
</soap:Envelope>
XML
  ) || exit 1
  status=${answer##*
}
  answer=${answer%
*}
}
# </call>

# <subscribe>
# subscribe KEY LIST ADDRESS: adds an address and prints the result.
subscribe() {
  call Subscriber.Add "<APIKey>$1</APIKey><SubscribersListID>$2</SubscribersListID><EMail>$(escaped "$3")</EMail>"
  if [ "$status" != 200 ]; then
    # The code is for the program, the text for a person.
    echo "fault $(value code): $(fault_text)"
  elif [ "$(value Subscriber.AddResult)" = 0 ]; then
    echo done
  else
    echo "refused: $(value Subscriber.AddResult)" # nothing was changed
  fi
}

# The text of an element that occurs once in the response.
value() { printf '%s\n' "$answer" | sed -n "s|.*<$1[^>]*>\([^<]*\)</$1>.*|\1|p" | unescaped; }
fault_text() { if [ "$version" = 1.2 ]; then value soap12:Text; else value faultstring; fi; }
# Escapes and unescapes text for XML.
escaped() { printf '%s\n' "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
unescaped() { sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&amp;/\&/g"; }
# </subscribe>

custom_fields() {
  printf '%s' "$1" | tr '|' '\n' | while IFS='=' read -r id text || [ -n "$id" ]; do
    printf '<customField><Customfieldid>%s</Customfieldid><Value>%s</Value></customField>' "$id" "$(escaped "$text")"
  done
}

json() { printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

tab=$(printf '\t')
while IFS= read -r line; do
  operation=${line%%"$tab"*}
  rest=${line#*"$tab"}
  parameters='' key='' list='' address=''
  while [ -n "$rest" ]; do
    cell=${rest%%"$tab"*}
    case $rest in *"$tab"*) rest=${rest#*"$tab"} ;; *) rest='' ;; esac
    name=${cell%%=*} text=${cell#*=}
    case $name in
      APIKey) key=$text ;;
      SubscribersListID) list=$text ;;
      EMail) address=$text ;;
    esac
    if [ "$name" = CustomsFields ]; then content=$(custom_fields "$text"); else content=$(escaped "$text"); fi
    parameters="$parameters<$name>$content</$name>"
  done
  if [ "$operation" = Subscriber.Add ]; then
    printf '{"result":%s}\n' "$(json "$(subscribe "$key" "$list" "$address")")"
    continue
  fi
  call "$operation" "$parameters"
  if [ "$status" = 200 ]; then
    printf '{"xml":%s}\n' "$(json "$answer")"
  else
    printf '{"fault":{"type":%s,"code":%s,"text":%s}}\n' \
      "$(json "HTTP $status")" "$(json "$(value code)")" "$(json "$(fault_text)")"
  fi
done
