# Takes SOAP::Lite through the steps on standard input, with the served WSDL. perl client.pl ENDPOINT
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;

my ($endpoint) = @ARGV;

# <connect>
use SOAP::Lite;

my $service = SOAP::Lite->service("$endpoint?wsdl");
$service->want_som(1); # calls return the whole response, with its fault

# SOAP::Lite has no serializers for these types. These two send the values as they are.
sub SOAP::Serializer::as_DataType           { my ($self, $value, $name, $type, $attr) = @_; [$name, $attr, $value] }
sub SOAP::Serializer::as_ArrayOfCustomField { my ($self, $value, $name, $type, $attr) = @_; [$name, $attr, $value] }
# </connect>

# <call>
# Adds an address and returns the result as text. Parameters are positional.
sub subscribe {
    my ($key, $list, $address) = @_;
    my $answer = $service->${\'Subscriber.Add'}($key, $list, $address);
    # The code is for the program, the text for a person.
    return 'fault ' . code_of($answer) . ': ' . $answer->faultstring if $answer->fault;
    my $byte = $answer->result;
    return $byte == 0 ? 'done' : "refused: $byte"; # refused: nothing was changed
}

sub code_of {
    my ($answer) = @_;
    return $answer->faultdetail->{error}{code};
}
# </call>

# <list>
# The records of a list operation. $element is the name of a record's element in the response:
# 'campaign' for Client.GetCampaignsList, for example.
sub records {
    my ($operation, $element, @parameters) = @_;
    my $answer = $service->$operation(@parameters);
    die $answer if $answer->fault;
    return [ $answer->valueof("//$element") ];
}
# </list>

# A parameter that is left out has its place all the same.
my @with_data = qw(APIKey SubscribersListID FirstName LastName EMail CustomsFields Gender Birthday CountryID);

Steps::take(sub {
    my ($operation, @pairs) = @_;
    my %value = @pairs;
    $value{CustomsFields} = Steps::custom_fields($value{CustomsFields}) if defined $value{CustomsFields};
    my @given = map { $pairs[ 2 * $_ ] } 0 .. $#pairs / 2;
    my @values = map { $value{$_} } $operation eq 'Subscriber.AddwithBasicandCustoms' ? @with_data : @given;
    return subscribe(@values) if $operation eq 'Subscriber.Add';
    return records($operation, $Steps::element{$operation}, @values) if $Steps::element{$operation};
    my $answer = $service->$operation(@values);
    die $answer if $answer->fault;
    return $answer->result;
}, sub { my ($answer) = @_; (code => code_of($answer), text => $answer->faultstring) });
