// SPDX-License-Identifier: Apache-2.0

/// The permission to send a mail, and the sources at which its digits are valid.
struct MailPermit: Sendable {
    /// Whether the mail may contain digits beside the link.
    let allowsDigits: Bool
    /// The hash of the requesting network or session.
    let network: [UInt8]
    /// The hash of the requesting device.
    let device: [UInt8]?
}
