// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Performs one connector's work for one subject: counts, erases, reads back, and retries where that helps.
package struct ConnectorDriver: Sendable {
    package let system: String
    package let connector: any Connector
    package let sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1, each as likely.
    package let chance: @Sendable () -> Double
    /// The system's later message by calling back, about the request of an idempotency key.
    package var news: @Sendable (_ key: String) async throws -> String? = { _ in nil }
    /// Discards it, before the system is called to erase under that key.
    package var forgetNews: @Sendable (_ key: String) async throws -> Void = { _ in }
    /// Checks, before every erasing call, that the subject is still ours to erase; throws otherwise.
    package var mayErase: @Sendable () async throws -> Void = {}

    /// The subject's items of the system according to the app's database, read before every call.
    package var items: @Sendable () async throws -> [String] = { [] }
    /// The findings of recorded erasures at the place, looked up where the connector lacks evidence of it.
    package var record: @Sendable () async throws -> PlaceRecord = { .nothing }
    /// The time by this process's clock, in seconds since 1970, at which pauses begin that the system asks for; without
    /// it they are not recorded.
    package var time: (@Sendable () -> Double)?
    /// Whether the pause after many small pages is waited for here, because no worker would take up the erasure again.
    package var waitsBetweenPages = false

    /// The names of the counts in a system's step.
    package enum Count: String {
        /// The number before anything was erased.
        case found
        case erased
        /// Names of the subject that also belong to another subject; nothing was erased under them.
        case shared
        /// The system only acknowledges; the result cannot be verified.
        case acknowledged
    }

    /// Stores the progress, before anything more is done. A cursor may name the subject.
    package typealias Keeping = (StepProgress) async throws -> Void

    /// How often data that a read-back finds is erased again before that is an error.
    static let sweeps = 3
    /// How often a system that has accepted the request is asked before the erasure is handed back for a while, and the
    /// seconds between these questions: a slower system is asked later.
    private static let questions = 30
    private static let longestWait = 10.0
    /// The longest pause, in seconds, that is waited for here; the erasure is handed back for a longer one.
    private static let longestPause = 60.0
    private static let retry = RetryPolicy(first: .milliseconds(200), longest: .seconds(5))
    /// Between two sweeps: a system's reads may be late.
    private static let reading = RetryPolicy(first: .milliseconds(250), longest: .seconds(1))

    package init(
        _ system: String, _ connector: any Connector, sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.system = system
        self.connector = connector
        self.sleep = sleep
        self.chance = chance
    }

    /// Erases and reads back. The count from before the first call is the step's number, so that a run resumed half-way
    /// still reports all of it.
    ///
    /// - Parameter stored: The progress of an earlier try; `nil` at the first.
    /// - Throws: the error that prevents it: `try again`, or one that needs an operator.
    package func run(
        _ request: ConnectorRequest, from stored: StepProgress?, keep: Keeping
    ) async throws -> StepProgress {
        guard !request.names.isEmpty else { return stored ?? StepProgress(effect: 1) }
        var progress = stored ?? StepProgress(effect: 1)
        if stored == nil { progress.isUncounted = true }
        return try await recordingPause(of: &progress, keep) { progress in
            if progress.isUncounted == true { try await count(request, &progress, keep) }
            try await erase(request, &progress, keep)
            try await readBack(request, &progress, keep)
        }
    }

    /// Reads again, later and after everything else; data that is back is erased again, in rounds of their own.
    ///
    /// - Parameter stored: The progress of an earlier try whose request is under way, or the last round before.
    package func lookAgain(
        _ request: ConnectorRequest, from stored: StepProgress, keep: Keeping
    ) async throws -> StepProgress {
        guard !request.names.isEmpty else { return stored }
        var progress = stored
        return try await recordingPause(of: &progress, keep) { progress in
            if progress.look == .asking { try await erase(request, &progress, keep) }
            progress.look = .asking
            do {
                try await readBack(request, &progress, keep)
            } catch let rest as SystemRest where stored.look != .asking && progress.round == stored.round {
                // Nothing is under way that the next attempt could continue.
                progress.look = .ended
                throw rest
            }
        }
    }

    /// Stores the pause that the system asks for, so that nothing else ends it early.
    private func recordingPause(
        of progress: inout StepProgress, _ keep: Keeping, _ work: (inout StepProgress) async throws -> Void
    ) async throws -> StepProgress {
        do {
            try await work(&progress)
        } catch let rest as SystemRest where rest.isFailure {
            if let time {
                progress.pausedUntil = time() + rest.seconds(from: time())
                try await keep(progress)
            }
            throw rest
        }
        return progress
    }

    /// Reads, and changes nothing: the amount of data; `nil` if the system cannot report it.
    package func left(_ request: ConnectorRequest) async throws -> Int? {
        guard !request.names.isEmpty, connector.declaration.abilities.contains(.verify) else { return nil }
        let request = try await renewed(request)
        do {
            switch try await patiently({ try await request.proving(record) { try await connector.verify($0) } }) {
            case .gone: return 0
            case .left(let count): return count
            case .cannotTell: return nil
            }
        } catch let rest as SystemRest {
            throw rest.error
        }
    }

    /// A connector's number within bounds, so that whatever it says can be added up and is stored.
    static func plausible(_ count: Int) -> Int { min(max(count, 0), 1 << 40) }

    private func count(_ request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping) async throws {
        let request = try await renewed(request)
        if connector.declaration.abilities.contains(.count) {
            do {
                let count = { (asked: ConnectorRequest) in try await connector.count(asked) }
                if let found = try await patiently({ try await request.proving(record, count) }) {
                    progress.counts[Count.found.rawValue] = Self.plausible(found)
                }
            } catch let error as FarewellError where error.code == "connector.refused" {
                // A refused name or item must not keep the rest: the erasure deletes that, and then reports it.
            }
        }
        (progress.isUncounted, progress.pausedUntil) = (nil, nil)
        try await keep(progress)
    }

    private func erase(_ request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping) async throws {
        if progress.rest != nil || progress.pausedUntil != nil {
            // The pause is over: if this attempt fails, status shows its failure instead of that pause.
            (progress.rest, progress.pausedUntil) = (nil, nil)
            try await keep(progress)
        }
        try await endSilence(request, &progress, keep)
        var asked = 0
        var pages = SystemPages(from: progress.cursor, after: progress.pages)
        while true {
            try Task.checkCancellation()
            var request = request
            request.cursor = progress.cursor
            if request.cursor != nil { request.news = try await news(Self.key(of: request, progress)) }
            if request.news != nil, progress.awaitsReport == true {
                progress.awaitsReport = nil
                try await keep(progress)
            }
            switch try await answer(to: request, &progress, keep) {
            case .nothingThere: return
            case .erased(let count): return progress.add(count, .erased)
            case .acknowledged(let count):
                progress.add(count, .erased)
                return progress.add(1, .acknowledged)
            case .more(let count, let cursor):
                progress.add(count, .erased)
                let next = pages.next(after: count, cursor: cursor)
                switch next {
                case .page, .later:
                    let rest = next == .later && !waitsBetweenPages ? self.rest(after: pages) : nil
                    progress.cursor = cursor
                    progress.pages = pages.counts
                    progress.rest = rest?.error.message
                    try await keep(progress)
                    if let rest { throw rest }
                    if next == .later {
                        try await sleep(.seconds(SystemPages.pause))
                        pages.beginAttempt()
                    }
                case .sameAgain:
                    throw ConnectorFault.garbled(system, "nothing erased, and the same cursor again").error
                case .endless:
                    try await beginAnew(request, &progress, keep)
                    throw endless(after: pages.counts)
                }
            case .accepted(let cursor, let seconds):
                progress.cursor = cursor
                progress.awaitsReport = awaitsReport(of: request)
                try await keep(progress)
                asked += 1
                guard seconds <= Self.longestWait else { throw SystemRest(after: pending, seconds: seconds) }
                guard asked < Self.questions else { throw pending }
                try await sleep(.seconds(min(max(seconds, 0), 60)))
            case .resting(let cursor, let until, let why):
                let rest = SystemRest(system, until: until, why: why)
                progress.cursor = cursor
                progress.rest = rest.error.message
                progress.awaitsReport = awaitsReport(of: request)
                try await keep(progress)
                throw rest
            }
        }
    }

    /// A report that the system had before its answer does not count twice.
    private func awaitsReport(of request: ConnectorRequest) -> Bool? {
        connector is any CalledBackConnector && request.news == nil ? true : nil
    }

    /// After attempts that ended without the system's report: continues with it if it has come since, and otherwise
    /// with another request.
    private func endSilence(_ request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping) async throws {
        guard progress.isUnreported == true else { return }
        let report = progress.cursor == nil ? nil : try await news(Self.key(of: request, progress))
        progress.isUnreported = nil
        guard report != nil else { return try await beginAnew(request, &progress, keep) }
        // Stored, so that an error after it, such as one of the reading back, parks the erasure.
        try await keep(progress)
    }

    private var pending: FarewellError {
        FarewellError(
            "connector.pending", .tryAgain, "The system \(system) has started and has not finished yet.",
            remedy: "If it never finishes, correct it and release the erasure, which asks it again.")
    }

    private func rest(after pages: SystemPages) -> SystemRest {
        SystemRest(system, afterPages: pages.counts.count, seconds: SystemPages.pause)
    }

    /// For an operator: no other try has another end.
    private func endless(after pages: StepProgress.Pages) -> FarewellError {
        FarewellError(
            "connector.endless", .yoursToFix,
            "The system \(system) never says that its erasure has ended: after \(pages.count) pages it still returns a "
                + "cursor, and \(pages.repeats) times it repeated an earlier one.",
            remedy: "Correct the service, which returns a cursor only while something is left. Release the erasure.")
    }

    /// One call. If the system accepted the request and then refused, it must start again once the erasure is released,
    /// instead of repeating its answer.
    private func answer(
        to request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping
    ) async throws -> ConnectorAnswer {
        var beginsAnew = false
        var isUnreported = false
        var asking = try await renewed(request)
        asking.key = Self.key(of: request, progress)
        let asked = asking
        func stillErasing() async throws -> PlaceRecord {
            let found = try await record()
            try await mayErase()
            return found
        }
        do {
            return try await patiently(after: mayErase) {
                do {
                    return try await asked.proving(stillErasing) { try await connector.erase($0) }
                } catch let fault as ConnectorFault {
                    (beginsAnew, isUnreported) = (fault.beginsAnew, fault.isUnreported)
                    throw fault
                }
            }
        } catch let error as FarewellError where isUnreported && request.news == nil {
            progress.isUnreported = true
            try await keep(progress)
            throw error
        } catch let error as FarewellError
            where request.news != nil || error.code == "connector.ended" || beginsAnew
        {
            try await beginAnew(request, &progress, keep)
            throw error
        }
    }

    /// Reads, and erases present data again; a system with delayed reads is read more than once.
    private func readBack(_ request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping) async throws {
        guard connector.declaration.abilities.contains(.verify) else {
            return progress.counts[Count.acknowledged.rawValue] = 1
        }
        while true {
            let asked = try await renewed(request)
            switch try await patiently({ try await asked.proving(record) { try await connector.verify($0) } }) {
            case .gone: return
            case .cannotTell: return progress.counts[Count.acknowledged.rawValue] = 1
            case .left:
                let sweep = (progress.sweeps ?? 0) + 1
                guard sweep <= Self.sweeps else {
                    // The next attempt sweeps as often.
                    progress.sweeps = nil
                    try await keep(progress)
                    throw leftovers
                }
                progress.sweeps = sweep
                try await sleep(Self.reading.delay(afterFailures: sweep))
                try await beginAnew(request, &progress, keep)
                try await erase(request, &progress, keep)
            }
        }
    }

    private var leftovers: FarewellError {
        FarewellError(
            "connector.leftovers", .tryAgain, "Data is still present in \(system) after its erasure.",
            remedy: "Find the program that writes there, then resume the erasure.")
    }

    /// Makes the next call the first one of another request: of the same one a system could repeat its answer, and a
    /// late repetition of its report could be taken for the new one.
    private func beginAnew(
        _ request: ConnectorRequest, _ progress: inout StepProgress, _ keep: Keeping
    ) async throws {
        progress.cursor = nil
        progress.pages = nil
        progress.awaitsReport = nil
        progress.round = (progress.round ?? 0) + 1
        // First, so that a crash in between leaves no report of the new request.
        try await forgetNews(Self.key(of: request, progress))
        try await keep(progress)
    }

    private static let again = "/again/"

    /// The idempotency key of a step's request after this number of restarts.
    private static func key(of request: ConnectorRequest, _ progress: StepProgress) -> String {
        progress.round.map { "\(request.key)\(again)\($0)" } ?? request.key
    }

    /// A key without its last part if that says how often the request was restarted; and that number.
    static func parts(ofKey key: String) -> (key: String, round: Int) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[parts.count - 2] == "again", let last = parts.last, let round = Int(last),
            round > 0, last == String(round)
        else { return (key, 0) }
        return (parts.dropLast(2).joined(separator: "/"), round)
    }

    private func renewed(_ request: ConnectorRequest) async throws -> ConnectorRequest {
        var request = request
        request.items = try await items()
        return request
    }

    /// Repeats a call after temporary errors, a few times, as late as the system demands. Longer waits are left to the
    /// run.
    ///
    /// - Parameter look: Called before every call; its error ends the attempt.
    /// - Throws: `SystemRest` if the system asks for a longer pause than a worker waits.
    private func patiently<Value>(
        after look: () async throws -> Void = {}, _ call: () async throws -> Value
    ) async throws -> Value {
        var failures = 0
        var throttlings = 0
        while true {
            try await look()
            let fault: ConnectorFault
            do {
                return try await call()
            } catch let error as ConnectorFault {
                fault = error
            } catch let error as CancellationError {
                throw error
            } catch {
                fault = .passing(system, "its connector failed unexpectedly")
            }
            if fault.isThrottling { throttlings += 1 } else { failures += 1 }
            let delay = Self.retry.delay(afterFailures: max(failures, throttlings), chance: chance())
            let wait = max(fault.retryAfter ?? 0, delay / .seconds(1))
            guard fault.error.family == .tryAgain else { throw fault.error }
            if let pause = fault.retryAfter, pause > Self.longestPause {
                throw SystemRest(after: fault.error, seconds: pause)
            }
            guard failures < 4, throttlings < 20 else { throw fault.error }
            try await sleep(.seconds(wait))
        }
    }
}

extension StepProgress {
    fileprivate mutating func add(_ count: Int, _ kind: ConnectorDriver.Count) {
        let before = counts[kind.rawValue] ?? 0
        counts[kind.rawValue] = ConnectorDriver.plausible(before + ConnectorDriver.plausible(count))
    }
}
