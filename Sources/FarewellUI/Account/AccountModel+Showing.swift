// SPDX-License-Identifier: Apache-2.0

public import Farewell

extension AccountModel: Announcing {}

/// The values that a view shows of the model, and the answers of a platform.
extension AccountModel {
    /// The pending question; nil if there is none.
    public var asked: SignOutScope? { if case .confirming(let scope) = state { scope } else { nil } }

    /// The text of the failure; nil if there is none.
    public var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// Whether the question of signing out here is shown. Platforms dismiss it by setting this to false, which cancels.
    public var isAskingHere: Bool {
        get { asked == .local }
        set { if !newValue, isAskingHere { cancel() } }
    }

    /// Whether the question of signing out elsewhere, or everywhere, is shown; dismissed in the same way.
    public var isAskingElsewhere: Bool {
        get { asked == .others || asked == .global }
        set { if !newValue, isAskingElsewhere { cancel() } }
    }

    /// Whether a failure is shown; dismissed in the same way.
    public var isTelling: Bool {
        get { failure != nil }
        set { if !newValue, isTelling { cancel() } }
    }

    /// Whether a failure to sign out here is shown beside the control that was tapped.
    public var isTellingHere: Bool {
        get { isTelling && lastAsked == .local }
        set { if !newValue, isTellingHere { cancel() } }
    }

    /// Whether a failure to sign out elsewhere, or everywhere, is shown.
    public var isTellingElsewhere: Bool {
        get { isTelling && lastAsked != .local }
        set { if !newValue, isTellingElsewhere { cancel() } }
    }

    /// The dialog's button. Some platforms dismiss a dialog, and so cancel, before its button acts, and some after: the
    /// answer counts either way.
    public func confirmed(_ scope: SignOutScope) async {
        askToSignOut(scope)
        await confirm()
    }

    /// The question's title and message, for each scope.
    public func question(_ scope: SignOutScope) -> (title: String, message: String) {
        switch scope {
        case .local: (copy[.logOutTitle], copy[.logOutMessage])
        case .others: (copy[.signOutOthers], "")
        case .global: (copy[.signOutEverywhere], copy[.logOutMessage])
        }
    }
}
