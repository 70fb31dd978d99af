// SPDX-License-Identifier: Apache-2.0

/// The version of this library in receipts and answers.
public enum FarewellVersion {
    /// By semantic versioning 2.0.0.
    public static let current = "0.1.0"
}
