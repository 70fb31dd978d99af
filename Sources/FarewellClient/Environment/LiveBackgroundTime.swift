// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Time that the system grants an app or an extension to finish work in the background.
enum LiveBackgroundTime {
    /// Begins the background time; the result ends it. If the system grants none, nothing happens.
    static func begin(_ reason: String) -> @Sendable () -> Void {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // In apps and extensions alike: extensions have no `UIApplication`. The process stays awake while the block
        // runs, so the block waits, on the thread that the system runs it on.
        let end = Flag()
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
            if isExpired { end.raise() } else { end.wait() }
        }
        return { end.raise() }
        #elseif os(macOS)
        ProcessInfo.processInfo.disableSuddenTermination()
        ProcessInfo.processInfo.disableAutomaticTermination(reason)
        return {
            ProcessInfo.processInfo.enableAutomaticTermination(reason)
            ProcessInfo.processInfo.enableSuddenTermination()
        }
        #else
        return {}
        #endif
    }

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    /// Raised once; a thread of the system's waits for it.
    private final class Flag: Sendable {
        private let condition = NSCondition()
        private let isRaised = Guarded(false)

        func raise() {
            condition.lock()
            isRaised.withLock { $0 = true }
            condition.broadcast()
            condition.unlock()
        }

        func wait() {
            condition.lock()
            while !isRaised.withLock({ $0 }) { condition.wait() }
            condition.unlock()
        }
    }
    #endif
}
