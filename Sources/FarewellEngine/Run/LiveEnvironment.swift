// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
public import Logging

extension EngineEnvironment {
    /// The real world: this machine's clock, random identifiers, this process.
    public static func live(log: Logger) -> EngineEnvironment {
        let host = ProcessInfo.processInfo.hostName
        return EngineEnvironment(
            now: { Date() },
            makeIdentifier: { UUID() },
            sleep: { try await Task.sleep(for: $0) },
            owner: "\(host):\(ProcessInfo.processInfo.processIdentifier):\(UUID().uuidString.prefix(8).lowercased())",
            isDead: { owner in isDeadProcess(owner, of: host) },
            log: log)
    }

    /// Only a process of this very host can be known to be dead, and only by the kernel's word (`ESRCH`).
    private static func isDeadProcess(_ owner: String, of host: String) -> Bool {
        let parts = owner.split(separator: ":")
        guard parts.count == 3, parts[0] == host, let process = Int32(parts[1]), process > 0 else { return false }
        return kill(process, 0) == -1 && errno == ESRCH
    }
}
