// SPDX-License-Identifier: Apache-2.0
package import Farewell

/// A result code of the Security framework (`OSStatus`, SecBase.h), and its meaning for a stored session.
package struct SecurityStatus: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = SecurityStatus(rawValue: 0)
    package static let itemNotFound = SecurityStatus(rawValue: -25_300)
    package static let duplicateItem = SecurityStatus(rawValue: -25_299)
    package static let decode = SecurityStatus(rawValue: -26_275)

    /// The meaning of a code.
    package enum Meaning: Sendable, Hashable, CaseIterable {
        case done
        /// There is no such item. The Keychain also says so for a moment before the first unlock.
        case absent
        /// The item appeared between two calls: the same call succeeds as an update.
        case again
        /// The device, or this item, is locked: it can be read once the user has unlocked the device.
        case locked
        /// The app is not signed for this: waiting does not help, and neither does the user.
        case notEntitled
        /// A call that no Keychain accepts.
        case malformed
        /// The item is there, and its contents are unusable.
        case damaged
        /// Any other code: it may work later.
        case passing
    }

    package var meaning: Meaning { Self.meanings[self] ?? .passing }

    /// Every code with a specific meaning; all others are `passing`.
    package static let meanings: [SecurityStatus: Meaning] = [
        .success: .done,
        .itemNotFound: .absent,
        .duplicateItem: .again,
        // errSecInteractionNotAllowed, errSecInteractionRequired, errSecInDarkWake, errSecDataNotAvailable
        SecurityStatus(rawValue: -25_308): .locked, SecurityStatus(rawValue: -25_315): .locked,
        SecurityStatus(rawValue: -25_320): .locked, SecurityStatus(rawValue: -25_316): .locked,
        // errSecMissingEntitlement, errSecRestrictedAPI, errSecNoAccessForItem
        SecurityStatus(rawValue: -34_018): .notEntitled, SecurityStatus(rawValue: -34_020): .notEntitled,
        SecurityStatus(rawValue: -25_243): .notEntitled,
        // errSecUnimplemented, errSecParam, errSecBadReq, errSecNoSuchAttr, errSecNoSuchClass, errSecDataTooLarge
        SecurityStatus(rawValue: -4): .malformed, SecurityStatus(rawValue: -50): .malformed,
        SecurityStatus(rawValue: -909): .malformed, SecurityStatus(rawValue: -25_303): .malformed,
        SecurityStatus(rawValue: -25_306): .malformed, SecurityStatus(rawValue: -25_302): .malformed,
        .decode: .damaged,
    ]

    /// The code as an error; its number is in the message.
    package var error: FarewellError {
        let answered = "The Keychain answered \(rawValue)"
        return switch meaning {
        case .locked:
            FarewellError(
                "device.keychain-locked", .tryAgain, "\(answered): it is locked.",
                remedy: "It is read again once the device is unlocked.")
        case .notEntitled:
            FarewellError(
                "device.keychain-entitlement", .yoursToFix,
                "\(answered): this app is not entitled to this item or access group.",
                remedy: "Sign the app, and add the Keychain Sharing capability with the access group that it names.")
        case .malformed:
            FarewellError("device.keychain-request", .ours, "\(answered): it does not accept the call.")
        case .damaged: FarewellError("device.keychain-damaged", .ours, "\(answered): the item cannot be decoded.")
        case .done, .absent, .again, .passing: FarewellError("device.keychain", .tryAgain, "\(answered).")
        }
    }
}
