// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Messages for the server about sessions that have ended on this device.
extension FarewellDevice {
    /// Puts a message into the outbox. One that cannot be written, such as on a full disk, stays in this process, and
    /// is written or delivered by a later attempt.
    ///
    /// - Throws: the error of the outbox.
    func queue(_ entry: Outbox.Entry) async throws {
        do {
            try await outbox.put(entry)
        } catch {
            unwritten.removeAll { $0.id == entry.id }
            unwritten.append(entry)
            throw error
        }
        unwritten.removeAll { $0.id == entry.id }
    }

    /// Delivers the entries of the outbox to the server, several at a time, and waits for the outcome of each. An entry
    /// that is on its way already is not sent a second time.
    ///
    /// - Returns: whether the server has received all of them.
    @discardableResult
    public func deliver() async -> Bool { await beginDelivery().areReceived }

    /// Delivers them and waits only a moment: where the system sends the messages, an answer may not come for hours.
    func deliverBriefly() async {
        let deliveries = beginDelivery()
        _ = await first(within: .seconds(2), by: environment.pause) { await deliveries.areReceived }
    }

    /// Begins to deliver each message that can be delivered now, unless it is on its way already. The outcomes are
    /// recorded, whether or not a caller waits for them.
    @discardableResult
    func beginDelivery() -> Deliveries {
        let stored = try? outbox.entries
        var tasks: [String: Task<Bool, Never>] = [:]
        for entry in (stored ?? []) + unwritten where entry.provider == provider.name && isOver(entry) {
            tasks[entry.id] = delivery(of: entry)
        }
        return Deliveries(tasks: tasks, isComplete: stored != nil)
    }

    private func delivery(of entry: Outbox.Entry) -> Task<Bool, Never> {
        if let begun = delivering[entry.id] { return begun }
        let (provider, outbox) = (self.provider, self.outbox)
        let (turns, environment) = (self.deliveryTurns, self.environment)
        // It does not keep the device alive, and the outbox learns the outcome without it.
        let work = Task { [weak self] in
            await turns.take()
            let endBackgroundTime = environment.keepAwake("Delivery of a sign-out")
            defer { endBackgroundTime() }
            let isReceived = await Self.isReceived(entry, by: provider, environment)
            turns.end()
            var isRemoved = false
            if isReceived { isRemoved = (try? await outbox.remove(entry.id)) != nil }
            await self?.note(entry, isReceived: isReceived)
            return isRemoved
        }
        delivering[entry.id] = work
        return work
    }

    /// Whether the server needs this message no more.
    private static func isReceived(
        _ entry: Outbox.Entry, by provider: any SessionProvider, _ environment: ClientEnvironment
    ) async -> Bool {
        do {
            try await provider.deliver(entry.revocation)
        } catch .unavailable {
            return false
        } catch {
            // The refusal is final: the session does not exist any more, as intended.
            environment.log(error.error)
        }
        return true
    }

    private func note(_ entry: Outbox.Entry, isReceived: Bool) async {
        if isReceived {
            unwritten.removeAll { $0.id == entry.id }
        } else if unwritten.contains(entry) {
            try? await queue(entry)
        }
        delivering[entry.id] = nil
    }

    /// Whether a message can be delivered now, or later without another sign-in or sign-out.
    ///
    /// - Throws: an error if it is unknown whether there are any.
    var hasMessages: Bool {
        get throws { try (outbox.entries + unwritten).contains { $0.provider == provider.name && isOver($0) } }
    }

    /// Whether the session of the message is not this device's any more, for certain.
    private func isOver(_ entry: Outbox.Entry) -> Bool {
        guard let replaced = entry.replaced else { return true }
        guard case .record(let record) = vault.read() else { return false }
        return record?.session?.id != replaced
    }

    /// Ends a session that this device does not keep, now or as soon as the server can be reached.
    func giveBack(_ session: DeviceSession) async {
        guard let order = provider.revocation(ofUnused: session) else { return }
        let id = environment.makeIdentifier().uuidString
        do {
            try await queue(.init(id: id, provider: provider.name, revocation: order))
        } catch {
            environment.log(.of(error))
        }
        await deliverBriefly()
        keepUp(isTried: true)
    }
}
