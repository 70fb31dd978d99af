// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A token that Google's services accept for an hour. Its description is redacted.
package struct GoogleToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let text: String
    /// When it ends, in seconds since 1970.
    package let expires: Double
    /// The project that pays for the calls, if that is not the project of the account.
    package var quotaProject: String?

    /// The headers of a call.
    var headers: [(name: String, value: String)] {
        [("Authorization", "Bearer \(text)")] + (quotaProject.map { [("x-goog-user-project", $0)] } ?? [])
    }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
