<?php
// The peer on PHP's SoapServer over SQLite: one commit before each answer.
declare(strict_types=1);

require __DIR__ . '/store.php';

final class Service
{
    private const UNKNOWN_LIST = 101;

    public function __construct(private readonly Store $store)
    {
    }

    /** A dot cannot stand in a method's name, so operations arrive here. */
    public function __call(string $operation, array $arguments): array
    {
        $call = $arguments[0];
        $key = $call->APIKey ?? '';
        $result = match ($operation) {
            'Client.TestApiConnection' => $this->store->accountOf($key) !== null,
            'Subscriber.Add' => $this->store->add($this->account($key), $call->SubscribersListID, $call->EMail ?? '')
                ? 0
                : self::UNKNOWN_LIST,
            'Campaign.GetHardBouncesList' => [
                'subscriber' => $this->store->bounced($this->account($key), $call->CampaignID)
                    ?? throw new SoapFault('Client', 'UnknownCampaign'),
            ],
        };
        return [$operation . 'Result' => $result];
    }

    private function account(string $key): int
    {
        return $this->store->accountOf($key) ?? throw new SoapFault('Client', 'InvalidKey');
    }
}

$server = new SoapServer($_SERVER['BENCH_WSDL'], ['cache_wsdl' => WSDL_CACHE_MEMORY]);
$server->setObject(new Service(new Store($_SERVER['BENCH_DATABASE'])));
$server->handle();
