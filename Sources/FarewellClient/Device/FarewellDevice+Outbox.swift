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
        unwritten.removeAll { $0.id == entry.id }
        do {
            try await outbox.put(entry)
        } catch {
            unwritten.append(entry)
            throw error
        }
    }

    /// Delivers the entries of the outbox to the server.
    ///
    /// - Returns: whether the server has received all of them.
    @discardableResult
    public func deliver() async -> Bool {
        let stored = try? outbox.entries
        let entries = (stored ?? []) + unwritten
        guard !entries.isEmpty else { return stored != nil }
        let endBackgroundTime = environment.keepAwake("Delivery of a sign-out")
        defer { endBackgroundTime() }
        var isEmpty = stored != nil
        for entry in entries where entry.provider == provider.name && isOver(entry) {
            do {
                try await provider.deliver(entry.revocation)
            } catch .unavailable {
                isEmpty = false
                if unwritten.contains(entry) { try? await queue(entry) }
                continue
            } catch {
                // The refusal is final: the session does not exist any more, as intended.
                environment.log(error.error)
            }
            unwritten.removeAll { $0.id == entry.id }
            if (try? await outbox.remove(entry.id)) == nil { isEmpty = false }
        }
        return isEmpty
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
        await deliver()
        keepUp(isTried: true)
    }
}
