// SPDX-License-Identifier: Apache-2.0

/// The version of this library in receipts and answers.
public enum FarewellVersion {
    /// Follows semantic versioning 2.0.0. Between two releases it is the next version with `-dev`.
    public static let current = "0.2.0-dev"
}
