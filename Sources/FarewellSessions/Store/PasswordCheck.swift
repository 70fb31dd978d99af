// SPDX-License-Identifier: Apache-2.0

/// A password hash that was found right, and what takes its place.
struct PasswordCheck: Sendable {
    let stored: String
    let replacement: String?
}
