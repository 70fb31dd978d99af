// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The device's own part of a deletion that the server has accepted (CF-1).
extension FarewellDevice {
    /// The steps from `accepted` on. Only forwards: a failed step is recorded and tried again at the next launch.
    func clear(_ begun: Departure, _ held: DeviceClaim.Holder) async -> Done {
        var done = Done()
        guard case .deletion(var state, let intent) = begun.course, state.isAccepted else { return done }
        let kept = try? journal.read()
        if isTaken(since: begun) || kept?.isOfLaterSession(than: begun.sessionID) == true {
            // A later sign-in has cleared the device already; the present session and data belong to that user.
            if kept?.id == begun.id { await trying(&done) { try journal.remove() } }
            look(isFirst: true)
            return done
        }
        var departure = begun
        stopCalls()
        renewal?.task.cancel()
        departed.insert(departure.sessionID)
        stand(.signedOut(.accountDeleted), saying: nil)
        while true {
            guard held.isHeld else { return await givenUp(&done) }
            let event: DeletionState.Event
            switch state.action {
            case .request, .resolve: return done
            case .leaveSubscriptions:
                if let subscriptions { await leave(subscriptions, within: .seconds(5)) }
                event = .leaveSubscriptions
            case .clearTokens:
                _ = await wipe.wipe(.deletion, .memory)
                let isClear = await trying(&done) { try await clearTokens(departure, removingAll: true) }
                event = isClear ? .clearTokens : .failTokens
            case .purge:
                done.report = await wipe.wipe(.deletion)
                leaveToApp(&done)
                // While something of the user is left, no other user may sign in.
                event = await hasForgotten(&done) ? .purge : .findLeftovers
            case .wait, .forget:
                if state.action == .forget {
                    await trying(&done) { try journal.remove() }
                    journal.request.removeAbandoned()
                }
                stand(.signedOut(.accountDeleted), saying: .userDeleted)
                return done
            }
            guard let next = state.after(event) else { return done }
            state = next
            departure.course = .deletion(state, intent)
            await record(departure, &done)
        }
    }

    /// Forgets the user once nothing of their data is left; whether both is so.
    func hasForgotten(_ done: inout Done) async -> Bool {
        guard done.isClean else { return false }
        person = nil
        return await trying(&done) { try previousUser.forget() }
    }

    /// Logs out of the subscription service. If it fails or does not answer, the device is still cleared.
    func leave(_ subscriptions: any SubscriptionService, within timeout: Duration) async {
        let log = environment.log
        let hasAnswered = await first(within: timeout) {
            do { try await subscriptions.logOut() } catch { log(.of(error)) }
            return true
        }
        if hasAnswered == nil { log(Self.noAnswer) }
    }

    private static let noAnswer = FarewellError(
        "device.subscriptions", .tryAgain, "The subscription service did not answer the log-out.")

    /// Whether another session is on this device by now.
    private func isTaken(since departure: Departure) -> Bool {
        guard case .record(let record) = vault.read(), let session = record?.session else { return false }
        return session.id != departure.sessionID
    }
}
