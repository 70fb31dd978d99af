// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The background work beside the app's own calls, from `launch()` on.
extension FarewellDevice {
    /// Tries the remaining work, and again later, until none is left. Does nothing if that is running already.
    ///
    /// - Parameter isTried: Whether it was tried just now: then it begins with a pause.
    func keepUp(isTried: Bool) {
        guard upkeep == nil else { return }
        let pause = environment.pause
        upkeep = Task { [weak self] in
            var attempt = isTried ? 1 : 0
            var isTried = isTried
            while let delay = await self?.untilNextAttempt(attempt, isTried: isTried) {
                isTried = false
                attempt += 1
                // It does not keep the device alive: remaining work is done at the next launch.
                do { try await pause(delay) } catch { break }
            }
        }
    }

    /// Tries it, and says how long to wait before the next attempt; `nil` when nothing is left.
    private func untilNextAttempt(_ attempt: Int, isTried: Bool) async -> Duration? {
        if !isTried {
            // Nothing else waits for the server's answer to a message.
            beginDelivery()
            // A launch has just tried the rest.
            if attempt > 0 { await settle() }
        }
        guard hasOutstanding else {
            upkeep = nil
            return nil
        }
        return RetryPolicy.calls.delay(afterFailures: attempt + 1, chance: environment.chance())
    }

    private var hasOutstanding: Bool {
        if standing.help == .wait { return true }
        do {
            if isClearingDue { return true }
            if case .deletion(.unanswered, _) = try journal.read()?.course { return true }
            return try hasMessages
        } catch let error as FarewellError {
            return error.family == .tryAgain
        } catch {
            return false
        }
    }

    /// Repeats what could not be decided at launch: locked tokens, a deletion without an answer. Also clears the device
    /// after a deletion of this process that could not, and finishes the deletion of another process, which may have
    /// ended, once the server says that the session is over.
    func settle() async {
        guard leaving == nil, deleting == nil else { return }
        if standing.help == .wait {
            await launch()
        } else if let departure = try? journal.read(), isToFinish(departure) {
            _ = try? await finish(departure)
        }
        if isClearingDue { isClearingDue = isClearingUnbegun }
    }

    /// Whether the deletion in the journal has not begun to clear this device; true if that is unknown.
    private var isClearingUnbegun: Bool {
        do {
            guard case .deletion(let state, _) = try journal.read()?.course else { return false }
            return state == .accepted || !state.isAccepted
        } catch {
            return true
        }
    }

    private func isToFinish(_ departure: Departure) -> Bool {
        guard case .deletion(let state, _) = departure.course else { return false }
        return state == .unanswered || isClearingDue || departure.sessionID.map { endings[$0] != nil } == true
    }
}
