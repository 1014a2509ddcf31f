<?php
// A web site's program as it was written for the old service with PHP's SoapClient: it reads the plain WSDL and
// calls the operations by their short names. Only the address of the service is in its settings.
// php old-site.php ADDRESS

$address = $argv[1];
$client = new SoapClient($address . '?wsdl', array('trace' => 1, 'exceptions' => 0, 'cache_wsdl' => WSDL_CACHE_NONE));

function call($client, $operation, $result, $parameters = array())
{
    $parameters = array('APIKey' => '3f2a-OLD-shop-key') + $parameters;
    $answer = $client->$operation($parameters);
    return is_soap_fault($answer) ? $answer->faultstring : $answer->{$result . 'Result'};
}

$person = array('SubscribersListID' => 543181, 'FirstName' => 'José', 'LastName' => 'Ñandú');
$town = array('customField' => array(array('Customfieldid' => 37328, 'Value' => 'Córdoba')));
$optedOut = array('SubscribersListID' => 543181, 'EMail' => 'out@example.org');
echo json_encode(array(
    'connected' => call($client, 'TestApiConnection', 'Client.TestApiConnection'),
    'lists' => call($client, 'GetSubscribersLists', 'Client.GetSubscribersLists'),
    'campaigns' => call($client, 'GetCampaignsList', 'Client.GetCampaignsList'),
    'campaignLists' => call($client, 'GetSubscribersListsByCampaign', 'Campaign.GetSubscribersLists', array('CampaignID' => 9)),
    'added' => call($client, 'AddSubscriber', 'Subscriber.Add', array('EMail' => 'added@example.org') + $optedOut),
    'named' => call($client, 'AddSubscriberwithName', 'Subscriber.AddwithName', $person + array('EMail' => 'named@example.org')),
    'withTown' => call(
        $client,
        'AddSubscriberwithNameandCustoms',
        'Subscriber.AddwithNameandCustoms',
        $person + array('EMail' => 'town@example.org', 'CustomsFields' => $town)
    ),
    'optedOut' => call($client, 'AddSubscriber', 'Subscriber.Add', $optedOut),
));
