// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Everything on the device that holds data of the user, in the order in which it is cleared.
public struct WipeRegistry: Sendable {
    /// The participants of a group do not wait for each other: they are cleared concurrently.
    let groups: [[any Participant]]
    private let pause: @Sendable (Duration) async throws -> Void
    /// The number of each participant's calls that are past their limit and still working.
    private let late = Guarded<[String: Int]>([:])

    /// How long a participant has to clear and check its data. After that the departure goes on without it. Shorter
    /// than the time that a system leaves to an app in the background.
    public static let limit = Duration.seconds(15)

    /// - Throws: `device.participants` if two participants have the same name, if one waits for an unregistered one, or
    ///   if participants wait for each other.
    public init(_ participants: [any Participant]) throws {
        try self.init(participants, pause: ClientEnvironment.live().pause)
    }

    /// - Parameter pause: Waits for the limit, concurrently with the participant's work.
    init(
        _ participants: [any Participant], pause: @escaping @Sendable (Duration) async throws -> Void
    ) throws {
        self.pause = pause
        let names = participants.map(\.name)
        guard Set(names).count == names.count else { throw Self.error("Two participants have the same name.") }
        for participant in participants where !participant.after.isSubset(of: names) {
            throw Self.error("The participant \(participant.name) waits for one that is not registered.")
        }
        var groups: [[any Participant]] = []
        var placed: Set<String> = []
        var rest = participants
        while !rest.isEmpty {
            let next = rest.filter { $0.after.isSubset(of: placed) }
            guard !next.isEmpty else {
                let circle = rest.map(\.name).joined(separator: ", ")
                throw Self.error("These participants wait for each other: \(circle).")
            }
            groups.append(next)
            placed.formUnion(next.map(\.name))
            rest.removeAll { placed.contains($0.name) }
        }
        self.groups = groups
    }

    private static func error(_ what: String) -> FarewellError {
        FarewellError("device.participants", .yoursToFix, what)
    }

    /// Clears the participants, verifies them, and reports the outcome of each. Does not throw: a failing participant
    /// stops only the participants that wait for it. A participant that does not return within `limit` has failed
    /// (`device.participant-unfinished`): its task is cancelled, and it is not called again before it returns.
    ///
    /// At the end every cleared place is checked once more, because a participant that was called later may have
    /// written into it (CF-4).
    /// - Parameter place: The place whose participants are cleared; `nil` clears all.
    public func wipe(_ occasion: WipeOccasion, _ place: WipePlace? = nil) async -> WipeReport {
        var lines: [WipeReport.Line] = []
        var unclean: Set<String> = []
        for group in groups {
            let members = group.filter { place == nil || $0.place == place }
            let found = await Self.each(members) { [unclean] participant in
                await line(participant, occasion, blocker: participant.after.intersection(unclean).min())
            }
            lines += found
            unclean.formUnion(found.filter { !$0.isClean }.map(\.name))
        }
        guard lines.filter({ $0.outcome != .kept }).count > 1 else { return WipeReport(lines) }
        let cleared = Set(lines.filter { $0.outcome == .cleared }.map(\.name))
        let again = await Self.each(groups.joined().filter { cleared.contains($0.name) }) { participant in
            await line(participant) { try await participant.leftovers(occasion) }
        }
        let looked = Dictionary(uniqueKeysWithValues: again.map { ($0.name, $0) })
        return WipeReport(lines.map { looked[$0.name] ?? $0 })
    }

    /// The lines of some participants, made concurrently, in their order.
    private static func each(
        _ participants: [any Participant], _ work: @escaping @Sendable (any Participant) async -> WipeReport.Line
    ) async -> [WipeReport.Line] {
        await withTaskGroup(of: (Int, WipeReport.Line).self) { tasks in
            for (index, participant) in participants.enumerated() {
                tasks.addTask { (index, await work(participant)) }
            }
            let found = await tasks.reduce(into: [(Int, WipeReport.Line)]()) { $0.append($1) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func line(
        _ participant: any Participant, _ occasion: WipeOccasion, blocker: String?
    ) async -> WipeReport.Line {
        func line(_ outcome: WipeReport.Outcome) -> WipeReport.Line {
            WipeReport.Line(name: participant.name, holds: participant.holds, outcome: outcome)
        }
        guard participant.clears.happens(on: occasion) else { return line(.kept) }
        if let blocker { return line(.waiting(for: blocker)) }
        if late.withLock({ $0[participant.name] != nil }) { return line(Self.unfinished) }
        return await self.line(participant) {
            try await participant.clear(occasion)
            return try await participant.leftovers(occasion)
        }
    }

    /// The line of a participant whose remains `work` lists. A departure that is cancelled midway ends no work.
    private func line(
        _ participant: any Participant, _ work: @escaping @Sendable () async throws -> [String]
    ) async -> WipeReport.Line {
        let begun = Task {
            await bounded(participant.name) {
                do {
                    let left = try await work()
                    return left.isEmpty ? .cleared : .leftovers(left)
                } catch {
                    return .failed(.of(error))
                }
            }
        }
        return WipeReport.Line(name: participant.name, holds: participant.holds, outcome: await begun.value)
    }

    /// The outcome of a participant's work, or that it is not finished within the limit.
    private func bounded(
        _ name: String, _ act: @escaping @Sendable () async -> WipeReport.Outcome
    ) async -> WipeReport.Outcome {
        let (answers, answer) = AsyncStream.makeStream(of: WipeReport.Outcome?.self)
        let work = Task { await act() }
        let relay = Task { _ = answer.yield(await work.value) }
        let pause = pause
        let timer = Task {
            try? await pause(Self.limit)
            answer.yield(nil)
        }
        defer { timer.cancel() }
        for await first in answers {
            if let first { return first }
            break
        }
        let late = late
        late.withLock { $0[name, default: 0] += 1 }
        work.cancel()
        Task {
            await relay.value
            late.withLock { late in
                let left = (late[name] ?? 1) - 1
                late[name] = left > 0 ? left : nil
            }
        }
        return Self.unfinished
    }

    private static let unfinished = WipeReport.Outcome.failed(
        FarewellError(
            "device.participant-unfinished", .tryAgain, "The participant did not finish within \(limit).",
            remedy: "Its data counts as not removed, and is cleared at the next launch."))
}
