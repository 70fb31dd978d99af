// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension ErasureContext {
    /// Gives an erasure back, so that anybody may take it up: at once where the work was interrupted, and after a
    /// pause, longer each time, where it `failed`. Both are one transaction, so that nobody comes between them.
    func handBack(_ member: ErasureMember, failed: Bool) async {
        // What was cancelled could not give anything back.
        await environment.uninterrupted {
            _ = try? await database.transaction { connection in
                try await connection.run(control.handBack([member], owner: owner))
                guard failed else { return }
                let failures = try await connection.run(control.failures(of: member.id)).scalar?.integer ?? 0
                let pause = Patience.ofErasures.pause(after: Int(failures) + 1, chance: environment.chance())
                try await connection.run(control.rest(member.id, epoch: member.record.epoch, seconds: pause))
            }
        }
    }
}
