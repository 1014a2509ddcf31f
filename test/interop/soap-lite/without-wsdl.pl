# Takes SOAP::Lite through the steps on standard input, without any WSDL. perl without-wsdl.pl ENDPOINT 1.1|1.2
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Steps;

my ($endpoint, $version) = @ARGV;
(my $namespace = $endpoint) =~ s{/[^/]*$}{};

# <connect>
use SOAP::Lite;

my $service = SOAP::Lite
    ->soapversion($version)
    ->proxy($endpoint)
    ->default_ns($namespace) # the address without /default.asmx
    ->on_action(sub { join '/', @_ });
# </connect>

# <call>
sub subscribe {
    my ($key, $list, $address) = @_;
    my $answer = $service->call(
        'Subscriber.Add',
        SOAP::Data->name(APIKey => $key)->type('string'),
        SOAP::Data->name(SubscribersListID => $list)->type('int'),
        SOAP::Data->name(EMail => $address)->type('string'),
    );
    if ($answer->fault) {
        my ($code, $text) = explain($answer);
        return "fault $code: $text";
    }
    my $byte = $answer->result;
    return $byte == 0 ? 'done' : "refused: $byte";
}

# SOAP::Lite has accessors for SOAP 1.1 faults only; the parts of a SOAP 1.2 fault are in the hash.
sub explain {
    my ($answer) = @_;
    my $fault = $answer->fault;
    my $detail = $fault->{detail} // $fault->{Detail};
    return ($detail->{error}{code}, $fault->{faultstring} // $fault->{Reason}{Text});
}
# </call>

Steps::take(sub {
    my ($operation, @pairs) = @_;
    my %value = @pairs;
    return subscribe(@value{qw(APIKey SubscribersListID EMail)}) if $operation eq 'Subscriber.Add';
    my @named = map {
        $_ eq 'CustomsFields'
            ? SOAP::Data->name($_ => Steps::custom_fields($value{$_}))
            : SOAP::Data->name($_ => $value{$_})->type('string')
    } keys %value;
    my $answer = $service->call($operation, @named);
    die $answer if $answer->fault;
    my $element = $Steps::element{$operation};
    return $element ? [ $answer->valueof("//$element") ] : $answer->result;
}, sub {
    my ($code, $text) = explain(@_);
    return (code => $code, text => $text);
});
