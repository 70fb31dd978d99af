// SPDX-License-Identifier: Apache-2.0

/// Rules about what is written in code.
let constructRules: [HouseRule] = [
    unchecked, crashes, looseTasks, waiting, ownClock, queues, unfinished, spelling, formatIgnored,
    exitHandlers, programs,
]

private func phrases(
    _ phrases: [String], refused sentence: String, example: String, instead: String,
    in speaksOf: @escaping @Sendable (SourceFile) -> Bool,
    except: @escaping @Sendable (Int, SourceFile) -> Bool = { _, _ in false }
) -> HouseRule {
    HouseRule(
        sentence: sentence,
        refuses: SourceFile("Sources/Farewell/Bad.swift", example),
        accepts: SourceFile("Sources/Farewell/Good.swift", instead)
    ) { file in
        guard file.isSwift, speaksOf(file) else { return [] }
        return file.code(holding: phrases).filter { !except($0.line, file) }
    }
}

/// Where the outside begins: a file named `Live…`, a member named `live`, the default of a clock's parameter.
@Sendable private func isLive(_ line: Int, of file: SourceFile) -> Bool {
    let near = file.lines[max(0, line - 4)..<line]
    let begun = ["static let live", "static var live", "static func live"]
    return file.name.hasPrefix("Live") || near.last?.contains("ock: any Clock<Duration> = ContinuousClock()") == true
        || near.contains { line in begun.contains { line.contains($0) } }
}

private let unchecked = phrases(
    ["@unchecked Sendable", "nonisolated(unsafe)", "@preconcurrency", "unsafeBitCast", "assumeIsolated"],
    refused: "the compiler's checks are not switched off",
    example: "final class A: @unchecked Sendable {}", instead: "// @unchecked Sendable is not for us\nactor A {}"
) { _ in true }

private let crashes = phrases(
    ["try!", "fatalError(", "preconditionFailure(", "as!"],
    refused: "bad input never crashes",
    example: "let a = try! read()", instead: "let a = try read()  // not try!"
) { _ in true }

private let exitHandlers = phrases(
    ["Foundation.exit(", "Glibc.exit(", "Darwin.exit(", " exit("],
    refused: "a program ends by ProcessEnd, without the exit handlers of libraries",
    example: "Foundation.exit(75)", instead: "ProcessEnd.now(75)"
) { $0.path.hasPrefix("Sources/") }

/// Foundation's `Process` ends only when every process that inherited its descriptor has ended.
private let programs = phrases(
    ["Process()"],
    refused: "a program has ended when its own process has",
    example: "let mailer = Process()", instead: "try await Subprocess.run(.name(mailer))"
) { $0.isSource }

private let looseTasks = phrases(
    ["Task.detached", "static var shared", "static let shared", "@TaskLocal"],
    refused: "no work and no state hangs loose",
    example: "Task.detached { work() }", instead: "async let work = work()"
) {
    // A trait of Swift Testing can hand its scope to a test only by a task-local value.
    $0.path != "Tests/FarewellConnectorsTests/World/RequestRecord.swift"
}

private let waiting = phrases(
    ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep("],
    refused: "code that waits, waits on an injected clock",
    example: "try await Task.sleep(for: .seconds(1))", instead: "try await clock.sleep(for: .seconds(1))"
) { _ in
    true
} except: {
    isLive($0, of: $1)
}

/// Clock, identifiers and chance come from outside.
private let ownClock = phrases(
    ["Date()", "Date.now", "UUID()", "ContinuousClock()", "SuspendingClock()", "SystemRandomNumberGenerator()"],
    refused: "time, identifiers and randomness are injected",
    example: "let now = Date()",
    instead: """
        init(clock: any Clock<Duration> = ContinuousClock()) {}
        static let live = A(
            now: { Date() })
        """
) {
    $0.isSource
} except: {
    isLive($0, of: $1)
}

/// Dispatch is for talking to a socket; everything else is Swift concurrency.
private let queues = phrases(
    ["DispatchQueue", "DispatchSemaphore", "Thread(", "NSLock"],
    refused: "queues and threads are driven in one named place",
    example: "DispatchQueue.global().async {}", instead: "await actor.work()"
) { $0.isSource && !$0.isBelow(["Sources/FarewellSQL/PostgreSQL/", "Sources/FarewellSQL/SQLite/"]) }

private let unfinished = HouseRule(
    sentence: "nothing says that it is unfinished",
    refuses: SourceFile("Sources/Farewell/Bad.swift", "// TODO: later"),
    accepts: SourceFile("Sources/Farewell/Good.swift", "// stubborn")
) { file in
    guard file.isSwift || file.path.hasPrefix("Scripts/"), !file.isRule else { return [] }
    return file.text(holding: [
        "TODO", "FIXME", "XXX", "not implemented", "Placeholder", "placeholder", "placeholders", "stub", "Stub",
        "stubs",
    ])
}

private let spelling = HouseRule(
    sentence: "the words are the project's, in British spelling",
    refuses: SourceFile("docs/a.md", "anonymize the rows"),
    accepts: SourceFile("docs/a.md", "anonymise the rows")
) { file in
    let foreign = ["anonymize", "anonymized", "anonymizes", "anonymization", "Anonymize", "pseudonymize", "honor"]
    return file.isRule || file.name == "LICENSE" ? [] : file.text(holding: foreign)
}

private let formatIgnored = HouseRule(
    sentence: "the formatter is not told to look away",
    refuses: SourceFile("Sources/Farewell/Bad.swift", "// swift-format-" + "ignore\nlet a = 1"),
    accepts: SourceFile("Sources/Farewell/Good.swift", "let a = 1")
) { file in
    file.isSwift ? file.text(holding: ["swift-format-" + "ignore"]) : []
}
