// SPDX-License-Identifier: Apache-2.0

/// The few algorithms a device needs, by the library its system has: CryptoKit on Apple's, OpenSSL's libcrypto
/// elsewhere. Both write the same bytes.
///
/// - `prepare()`: to be called before the process uses the library in any other way.
/// - `makeSecret(count:)`: random bytes.
/// - `hash(_:)`: SHA-256 (FIPS 180-4), 32 bytes.
/// - `derive(from:info:count:)`: HKDF with SHA-256 and no salt (RFC 5869).
/// - `seal(_:under:bound:)` and `open(_:under:bound:)`: AES-256-GCM (NIST SP 800-38D); a fresh random nonce of 12
///   bytes, the ciphertext, and a tag of 16 bytes, one after the other.
enum DeviceCrypto {}
