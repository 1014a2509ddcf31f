# The steps on standard input, and what came of each as a line of JSON: the same for both of SOAP::Lite's ways to call.
package Steps;
use strict;
use warnings;
use JSON::PP;

# $call gets the operation and its parameters by name; it gives back a result, or dies with the answer that holds a fault.
sub take {
    my ($call, $explain) = @_;
    my $json = JSON::PP->new->utf8;
    binmode STDIN, ':encoding(UTF-8)';
    $| = 1;
    while (my $line = <STDIN>) {
        chomp $line;
        my ($operation, @cells) = split /\t/, $line, -1;
        my $result = eval { $call->($operation, map { split /=/, $_, 2 } @cells) };
        my $error = $@;
        my $is_fault = ref $error && $error->isa('SOAP::SOM');
        die $error if $error && !$is_fault;
        print $json->encode(
            $is_fault ? { fault => { type => ref $error, $explain->($error) } } : { result => $result }
        ), "\n";
    }
}

# The element that a listing operation repeats.
our %element = (
    'Field.GetFields'              => 'field',
    'Client.GetSubscribersLists'   => 'subscriberslist',
    'Client.GetCampaignsList'      => 'campaign',
    'Campaign.GetSubscribersLists' => 'subscriberslist',
    'Campaign.GetUnsubscribesList' => 'subscriber',
    'Campaign.GetHardBouncesList'  => 'subscriber',
);

sub custom_fields {
    return \SOAP::Data->value(map {
        my ($id, $value) = split /=/, $_, 2;
        SOAP::Data->name(customField => \SOAP::Data->value(
            SOAP::Data->name(Customfieldid => $id)->type('long'),
            SOAP::Data->name(Value => $value)->type('string'),
        ));
    } split /\|/, shift);
}

1;
