// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellSQL
import Foundation

/// How a run is performed.
struct RunOptions: ParsableArguments {
    @OptionGroup var scan: DeepScanOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many groups are erased at once, each on its own connection; 2 on PostgreSQL, always 1 on SQLite.",
            valueName: "number"))
    var concurrency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many small subjects share one transaction; 50, or 10 in parallel where rows name two people.",
            valueName: "number"))
    var group: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long after its last heartbeat other processes leave an erasure alone.", valueName: "seconds"))
    var lease = 15

    func validate() throws {
        guard (1...64).contains(concurrency ?? 1) else { throw ValidationError("--concurrency takes 1 to 64.") }
        guard (1...1_000).contains(group ?? 1) else { throw ValidationError("--group takes 1 to 1000.") }
        guard (2...3_600).contains(lease) else { throw ValidationError("--lease takes 2 to 3600 seconds.") }
    }

    /// One for each group at work and some for leases and acceptance.
    var connections: Int { atOnce + 3 }

    private var atOnce: Int { concurrency ?? 2 }

    var options: ErasureOptions {
        ErasureOptions(groupSize: group, concurrency: atOnce, deepScan: scan.extent)
    }
}
