// SPDX-License-Identifier: Apache-2.0

import Farewell

extension FarewellError {
    /// This error with a remedy, if a constraint stopped the erasure and the error has no remedy of its own.
    var withRemedy: FarewellError {
        guard remedy == nil, let remedy = Self.remedy(code) else { return self }
        return FarewellError(code, family, message, remedy: remedy, refusedPlace: refusedPlace)
    }

    private static func remedy(_ code: Code) -> String? {
        switch code {
        case "sql.23502": "Give the column a constant in the plan instead of null, or erase the row."
        case "sql.23503", "sql.23001":
            "Give the referencing rows a rule in the plan: erase them, or unlink them."
        case "sql.23505":
            "Give the column a value in the plan that differs from row to row, such as hash, or erase the row."
        case "sql.23514", "sql.23P01":
            "Give the columns values in the plan that the constraint allows, or erase the row."
        default: nil
        }
    }
}
