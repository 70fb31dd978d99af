// SPDX-License-Identifier: Apache-2.0

/// The place of a secret.
public enum SecretPlace: Sendable, Hashable {
    /// A variable of the environment, by name.
    case environment(String)
    /// A file, by path.
    case file(String)
}
