// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Everything on the device that holds data of the user, in the order in which it is cleared.
public struct WipeRegistry: Sendable {
    /// The participants of a group do not wait for each other: they are cleared concurrently.
    let groups: [[any Participant]]

    /// - Throws: `device.participants` if two participants have the same name, if one waits for an unregistered one, or
    ///   if participants wait for each other.
    public init(_ participants: [any Participant]) throws {
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
    /// stops only the participants that wait for it.
    ///
    /// - Parameter place: The place whose participants are cleared; `nil` clears all.
    public func wipe(_ occasion: WipeOccasion, _ place: WipePlace? = nil) async -> WipeReport {
        var lines: [WipeReport.Line] = []
        var unclean: Set<String> = []
        for group in groups {
            let found = await withTaskGroup(of: (Int, WipeReport.Line).self) { tasks in
                for (index, participant) in group.enumerated() where place == nil || participant.place == place {
                    let blocker = participant.after.intersection(unclean).min()
                    tasks.addTask { (index, await Self.line(participant, occasion, blocker: blocker)) }
                }
                return await tasks.reduce(into: [(Int, WipeReport.Line)]()) { $0.append($1) }
            }
            lines += found.sorted { $0.0 < $1.0 }.map(\.1)
            unclean.formUnion(found.filter { !$0.1.isClean }.map(\.1.name))
        }
        return WipeReport(lines)
    }

    private static func line(
        _ participant: any Participant, _ occasion: WipeOccasion, blocker: String?
    ) async -> WipeReport.Line {
        func line(_ outcome: WipeReport.Outcome) -> WipeReport.Line {
            WipeReport.Line(name: participant.name, holds: participant.holds, outcome: outcome)
        }
        guard participant.clears.happens(on: occasion) else { return line(.kept) }
        if let blocker { return line(.waiting(for: blocker)) }
        do {
            try await participant.clear(occasion)
            let left = try await participant.leftovers(occasion)
            return line(left.isEmpty ? .cleared : .leftovers(left))
        } catch {
            return line(.failed(.of(error)))
        }
    }
}
