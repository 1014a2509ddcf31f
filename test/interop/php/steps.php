<?php
// The steps on standard input, and what came of each as a line of JSON: the same for both of PHP's ways to call.

function takeSteps(callable $call): void
{
    while (($line = fgets(STDIN)) !== false) {
        $cells = explode("\t", rtrim($line, "\n"));
        $operation = array_shift($cells);
        $parameters = [];
        foreach ($cells as $cell) {
            [$name, $value] = explode('=', $cell, 2);
            $parameters[$name] = $value;
        }
        try {
            $outcome = ['result' => plain($call($operation, $parameters))];
        } catch (SoapFault $fault) {
            $code = $fault->detail->error->code ?? $fault->faultcode;
            $outcome = ['fault' => ['type' => get_class($fault), 'code' => $code, 'text' => $fault->getMessage()]];
        }
        echo json_encode($outcome, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), "\n";
    }
}

/** As on the wire: every value a string. */
function plain(mixed $value): mixed
{
    return match (true) {
        is_bool($value) => $value ? 'true' : 'false',
        is_scalar($value) => (string) $value,
        $value === null => null,
        default => array_map('plain', (array) $value),
    };
}

/** @return list<array{Customfieldid: string, Value: string}> */
function customFields(string $pairs): array
{
    return array_map(function (string $pair) {
        [$id, $value] = explode('=', $pair, 2);
        return ['Customfieldid' => $id, 'Value' => $value];
    }, explode('|', $pairs));
}
