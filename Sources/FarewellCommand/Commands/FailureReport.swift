// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell

/// The last lines of a failed command: the error, the remedy, and the exit status.
struct FailureReport {
    private let arguments: [String]
    private let isJSON: Bool

    init(_ arguments: [String]) {
        self.arguments = arguments
        isJSON = arguments.contains("--json")
    }

    func report(_ error: any Error) -> ExitStatus {
        switch error {
        case let status as ExitStatus: return status
        case let error as FarewellError:
            say(error)
            return ExitStatus(error)
        case is CancellationError:
            Terminal.error.line("Interrupted.")
            return .interrupted
        default: return parsing(error)
        }
    }

    private func say(_ given: FarewellError) {
        let concealed = ConcealedArguments(arguments, isParsing: false)
        let error = FarewellError(
            given.code, given.family, concealed.concealed(given.message), remedy: given.remedy.map(concealed.concealed))
        if isJSON { Terminal.output.json(Refusal(error: .init(error))) }
        let terminal = Terminal.error
        // A plan may have many faults, each on a line of its own.
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false).map {
            Terminal.printable(String($0))
        }
        terminal.line(terminal.red("error: ") + lines.joined(separator: "\n       "))
        if let remedy = error.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
    }

    /// Delivers the requested help or version.
    private func help(_ text: String) -> ExitStatus {
        do {
            try Terminal.output.deliver(text)
            return .done
        } catch {
            return report(error)
        }
    }

    /// ArgumentParser's errors: requested help, or an unusable argument.
    private func parsing(_ error: any Error) -> ExitStatus {
        let code = FarewellCommand.exitCode(for: error)
        if code == .success {
            return help(FarewellCommand.fullMessage(for: error))
        }
        guard code == .validationFailure else {
            // An error of a system library: its text may hold anything, so only its type is shown.
            say(FarewellError("unexpected", .ours, "An unexpected error ended the command: \(type(of: error))."))
            return .ours
        }
        // ArgumentParser checks what was given before it looks for options that do not exist.
        let concealed = ConcealedArguments(arguments, isParsing: true)
        let message = concealed.concealed(FarewellCommand.message(for: error))
        let cause = concealed.concealed(UnknownOption.first(in: arguments).map { "Unknown option '\($0)'" } ?? message)
        if isJSON {
            let misuse = FarewellError("command.misuse", .yoursToFix, cause)
            Terminal.output.json(Refusal(error: .init(misuse)))
        }
        let full = concealed.concealed(FarewellCommand.fullMessage(for: error))
        Terminal.error.text(message.contains(cause) ? full : full.replacing(message, with: cause))
        return .unusable
    }
}

/// An error as JSON.
private struct Refusal: Encodable {
    struct Body: Encodable {
        let code: String
        let family: String
        let message: String
        let remedy: String?

        init(_ error: FarewellError) {
            code = error.code.rawValue
            family = error.family.rawValue
            message = error.message
            remedy = error.remedy
        }
    }

    let error: Body
}
