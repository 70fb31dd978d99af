// SPDX-License-Identifier: Apache-2.0

/// The keys of the installation as a whole.
package enum InstallationKey: String, KeyPurpose {
    case erasureTicket = "farewell/erasure-ticket/v2"
    /// Made tickets in earlier versions.
    case formerErasureTicket = "farewell/erasure-ticket/v1"
    case exportManifest = "farewell/export-manifest/v1"
    /// Sealed all values of the session store in earlier versions.
    case formerSeal = "farewell/authority/seal/v1"
    /// Distinguishes the keys of two installations.
    case identity = "farewell/key-identity/v1"
    case operatorName = "farewell/operator-name/v2"

    package var label: String { rawValue }
}
