# Adds a subscriber with names, custom fields, gender, birthday and country.
# Change the address, the key, the list and the ids of the custom fields. Then: perl client.pl
use strict;
use warnings;
use utf8; # the texts below are UTF-8
use SOAP::Lite;

my $endpoint = 'https://mail.example.org/default.asmx';
my $api_key  = '0123456789ABCDEF0123456789ABCDEF';
my $list_id  = 1;

# SOAP::Lite has no serializer for this type. This one sends the value as it is.
sub SOAP::Serializer::as_ArrayOfCustomField {
    my ($self, $value, $name, $type, $attr) = @_;
    return [$name, $attr, $value];
}

sub custom_field {
    my ($id, $value) = @_;
    return SOAP::Data->name(customField => \SOAP::Data->value(
        SOAP::Data->name(Customfieldid => $id)->type('long'),
        SOAP::Data->name(Value => $value)->type('string'),
    ));
}

my $service = SOAP::Lite->service("$endpoint?wsdl");
$service->want_som(1); # calls return the whole response, with its fault

my $operation = 'Subscriber.AddwithBasicandCustoms';
my $answer = $service->$operation( # the parameters are positional
    $api_key,
    $list_id,
    'Zoë',
    'Müller',
    'zoe@example.org',
    # Custom fields: the id from Field.GetFields, and the value.
    \SOAP::Data->value(custom_field(1, 'Zürich'), custom_field(2, 'premium')),
    'F', # Gender: M, F or X
    '1985-12-10T00:00:00',
    756, # CountryID: ISO 3166-1 numeric; 0 if the country is unknown
);

if ($answer->fault) {
    # InvalidApiKey: the key is missing, unknown, revoked or expired.
    print 'fault ', $answer->faultdetail->{error}{code}, ': ', $answer->faultstring, "\n";
} elsif ($answer->result == 0) {
    print "added\n";
} else {
    print 'refused: ', $answer->result, "\n"; # 206: unsubscribed earlier; nothing was changed
}
