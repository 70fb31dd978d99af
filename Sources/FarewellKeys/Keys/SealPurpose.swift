// SPDX-License-Identifier: Apache-2.0

/// The sealed values of the session store. Each kind has a key of its own. Earlier versions
/// wrote the raw values into labels of their own.
package enum SealPurpose: String, KeyPurpose {
    case signingKey = "signing-key"
    case mail
    case providerCredential = "provider-credential"

    package var label: String { "farewell/authority/seal/\(rawValue)/v1" }
}
