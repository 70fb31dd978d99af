// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
public import Logging

/// This machine's clock, random identifiers, this process.
package enum LiveWorld {
    static func now() -> Date { Date() }

    /// Since the machine started, if the system reports it; otherwise since this process first called it.
    static func uptime() -> Duration {
        #if os(Linux)
        var time = timespec()
        if isBootKnown, clock_gettime(CLOCK_BOOTTIME, &time) == 0 {
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        #endif
        return ContinuousClock.now - start
    }

    /// The name of this start of the machine; a name of this process's own if the system reports none.
    static let boot = bootName ?? identifier().text

    private static let isBootKnown = bootName != nil
    private static let start = ContinuousClock.now

    /// The kernel's name of this start of the machine; `nil` if the system does not report it.
    package static let bootName: String? = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
    }()

    static func identifier() -> UUID {
        var generator = SystemRandomNumberGenerator()
        return .random(from: &generator)
    }

    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// This process's name in leases: the host, the process, and a word that no other process will use again.
    static func owner() -> String {
        let process = ProcessInfo.processInfo
        return "\(process.hostName):\(process.processIdentifier):\(identifier().uuidString.prefix(8).lowercased())"
    }

    /// Only a process of this very host can be known to be dead, and only by the kernel's word (`ESRCH`).
    static func isDead(_ owner: String) -> Bool {
        let parts = owner.split(separator: ":")
        guard parts.count == 3, parts[0] == ProcessInfo.processInfo.hostName, let process = Int32(parts[1]), process > 0
        else { return false }
        return kill(process, 0) == -1 && errno == ESRCH
    }
}

extension EngineEnvironment {
    /// The real world.
    public static func live(log: Logger) -> EngineEnvironment {
        EngineEnvironment(
            now: LiveWorld.now, makeIdentifier: LiveWorld.identifier, sleep: LiveWorld.sleep, owner: LiveWorld.owner(),
            isDead: LiveWorld.isDead, log: log)
    }
}
