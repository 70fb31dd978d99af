// SPDX-License-Identifier: Apache-2.0
import Farewell

extension Error {
    /// The code of a `FarewellError`; the type's name for any other error.
    var sqlCode: String {
        (self as? FarewellError)?.code.rawValue ?? String(describing: type(of: self))
    }
}
