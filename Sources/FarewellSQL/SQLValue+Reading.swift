// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

extension SQLValue {
    /// A UUID from either database's form.
    package var identifier: UUID? {
        if case .uuid(let uuid) = self { return uuid }
        return text.flatMap(UUID.init(text:))
    }

    /// An instant from either database's form.
    package var date: Date? {
        if case .timestamp(let date) = self { return date }
        return text.flatMap(RFC3339.date)
    }

    /// Bytes, if it holds some.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}
