// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// The number with its noun: `1 file`, `2 files`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
