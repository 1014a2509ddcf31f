/** The program: hands the command line over and ends with its exit code. */
import { runCommandLine } from "#cli/command-line.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
