// SPDX-License-Identifier: Apache-2.0

/// Why a password is refused, in the contract's words.
public enum PasswordWeakness: String, Sendable, Hashable, Codable, CaseIterable {
    case length, characters, pwned
}
