// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// A promise of `SQLDatabase` that was not kept.
public struct SQLDatabaseViolation: Error, CustomStringConvertible {
    public let description: String
}
