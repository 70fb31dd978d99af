// SPDX-License-Identifier: Apache-2.0

extension FarewellError {
    /// The code of an error, for a log. Another error than a `FarewellError` has its type instead.
    package static func code(of error: any Error) -> String {
        (error as? FarewellError)?.code.rawValue ?? "\(type(of: error))"
    }

    /// The text of an error, for a log. Another error than a `FarewellError` gives only its type, because its text may
    /// contain anything.
    package static func text(of error: any Error) -> String {
        (error as? FarewellError)?.description ?? "\(type(of: error))"
    }
}
