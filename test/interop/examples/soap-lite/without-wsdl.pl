# Adds a subscriber with names, custom fields, gender, birthday and country, without the WSDL.
# Change the address, the key, the list and the ids of the custom fields. Then: perl without-wsdl.pl
use strict;
use warnings;
use utf8; # the texts below are UTF-8
use SOAP::Lite;

my $endpoint = 'https://mail.example.org/default.asmx';
my $api_key  = '0123456789ABCDEF0123456789ABCDEF';
my $list_id  = 1;

(my $namespace = $endpoint) =~ s{/[^/]*$}{}; # the address without /default.asmx
my $service = SOAP::Lite
    ->proxy($endpoint)
    ->default_ns($namespace)
    ->on_action(sub { join '/', @_ });

# A parameter with its type.
sub parameter {
    my ($name, $type, $value) = @_;
    return SOAP::Data->name($name => $value)->type($type);
}

sub custom_field {
    my ($id, $value) = @_;
    return SOAP::Data->name(customField => \SOAP::Data->value(
        parameter(Customfieldid => 'long', $id),
        parameter(Value => 'string', $value),
    ));
}

my $answer = $service->call(
    'Subscriber.AddwithBasicandCustoms',
    parameter(APIKey => 'string', $api_key),
    parameter(SubscribersListID => 'int', $list_id),
    parameter(FirstName => 'string', 'Zoë'),
    parameter(LastName => 'string', 'Müller'),
    parameter(EMail => 'string', 'zoe@example.org'),
    SOAP::Data->name(CustomsFields => \SOAP::Data->value(
        custom_field(1, 'Zürich'), # the id from Field.GetFields
        custom_field(2, 'premium'),
    )),
    parameter(Gender => 'string', 'F'), # M, F or X
    parameter(Birthday => 'dateTime', '1985-12-10T00:00:00'),
    parameter(CountryID => 'int', 756), # ISO 3166-1 numeric
);

if ($answer->fault) {
    # InvalidApiKey: the key is missing, unknown, revoked or expired.
    print 'fault ', $answer->faultdetail->{error}{code}, ': ', $answer->faultstring, "\n";
} elsif ($answer->result == 0) {
    print "added\n";
} else {
    print 'refused: ', $answer->result, "\n"; # 206: unsubscribed earlier; nothing was changed
}
