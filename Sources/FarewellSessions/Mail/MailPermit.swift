// SPDX-License-Identifier: Apache-2.0

/// That a mail may go out, and for whom its digits are.
struct MailPermit: Sendable {
    /// Whether the mail may bring digits beside the link.
    let allowsDigits: Bool
    /// The hash of the network, or session, that asked.
    let network: [UInt8]
    /// The hash of the device that asked.
    let device: [UInt8]?
}
