// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FarewellErasure

/// Whether places are searched that the plan does not name, and how far.
struct DeepScanOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Also search every other column for identifiers of the subject.")
    var deep = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --deep: the largest number of rows to search in each table. Default: all.", valueName: "number"))
    var deepRows: Int?

    func validate() throws {
        guard deep || deepRows == nil else { throw ValidationError("--deep-rows needs --deep.") }
        guard (1...1_000_000_000).contains(deepRows ?? 1) else {
            throw ValidationError("--deep-rows takes 1 to 1000000000.")
        }
    }

    var extent: DeepScanExtent {
        guard deep else { return .none }
        return deepRows.map(DeepScanExtent.bounded(rows:)) ?? .complete
    }
}
