<?php
// What the PHP peer knows and keeps. Each of PHP's processes keeps its connection from one request to the next.
declare(strict_types=1);

final class Store
{
    private readonly PDO $db;

    public function __construct(string $file)
    {
        $this->db = new PDO("sqlite:$file", options: [
            PDO::ATTR_PERSISTENT => true,
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_TIMEOUT => 30,
        ]);
        $this->db->exec('PRAGMA synchronous=FULL');
    }

    public function accountOf(string $key): ?int
    {
        return $this->value('SELECT account_id FROM api_key WHERE key = ?', $key);
    }

    /** False where the account has no such list. */
    public function add(int $account, int $list, string $address): bool
    {
        $this->db->exec('BEGIN IMMEDIATE');
        $isKnownList = $this->value('SELECT 1 FROM list WHERE id = ? AND account_id = ?', $list, $account) !== null;
        if ($isKnownList) {
            $this->addTo($account, $list, $address, (int) (microtime(true) * 1000));
        }
        $this->db->exec('COMMIT');
        return $isKnownList;
    }

    private function addTo(int $account, int $list, string $address, int $now): void
    {
        $person = $this->value('SELECT id FROM subscriber WHERE account_id = ? AND address_key = ?', $account, $address);
        if ($person === null) {
            $this->run(
                'INSERT INTO subscriber (account_id, address, address_key, known_since) VALUES (?, ?, ?, ?)',
                $account,
                $address,
                $address,
                $now,
            );
            $person = (int) $this->db->lastInsertId();
        }
        $joined = $this->run(
            'INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
            $account,
            $list,
            $person,
            $now,
        );
        if ($joined->rowCount() === 0) {
            return;
        }
        $this->run('UPDATE list SET member_count = member_count + 1 WHERE id = ?', $list);
        $this->run(
            "INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id) VALUES (?, ?, ?, 'joined', 'key', ?)",
            $account,
            $person,
            $now,
            $list,
        );
    }

    /** Null where the account has no such campaign. */
    public function bounced(int $account, int $campaign): ?array
    {
        if ($this->value('SELECT 1 FROM campaign WHERE id = ? AND account_id = ?', $campaign, $account) === null) {
            return null;
        }
        $rows = $this->run(
            "SELECT s.first_name AS FirstName, s.last_name AS LastName, s.address AS EMail, e.joined_at AS SubscribedDate, e.at AS UnsubscribedDate FROM campaign_event AS e JOIN subscriber AS s ON s.id = e.subscriber_id WHERE e.campaign_id = ? AND e.event = 'hard-bounce' ORDER BY e.at, e.id",
            $campaign,
        );
        $people = [];
        while ($row = $rows->fetch(PDO::FETCH_ASSOC)) {
            $row['SubscribedDate'] = gmdate('Y-m-d\TH:i:s\Z', intdiv($row['SubscribedDate'], 1000));
            $row['UnsubscribedDate'] = gmdate('Y-m-d\TH:i:s\Z', intdiv($row['UnsubscribedDate'], 1000));
            $people[] = $row;
        }
        return $people;
    }

    private function run(string $sql, mixed ...$values): PDOStatement
    {
        $statement = $this->db->prepare($sql);
        $statement->execute($values);
        return $statement;
    }

    private function value(string $sql, mixed ...$values): ?int
    {
        $found = $this->run($sql, ...$values)->fetchColumn();
        return $found === false ? null : (int) $found;
    }
}
