// SPDX-License-Identifier: Apache-2.0

public import Farewell

/// What a view shows of the model, and what a platform answers.
extension AccountModel {
    /// What is being asked; nil where nothing is.
    public var asked: SignOutScope? { if case .confirming(let scope) = state { scope } else { nil } }

    /// What to say about the failure; nil where there is none.
    public var failure: String? { if case .failed(let text) = state { text } else { nil } }

    /// Whether the question of signing out here is shown. Platforms put it away by setting this to false: a cancel.
    public var isAskingHere: Bool {
        get { asked == .local }
        set { if !newValue, isAskingHere { cancel() } }
    }

    /// Whether the question of signing out elsewhere, or everywhere, is shown; put away in the same way.
    public var isAskingElsewhere: Bool {
        get { asked == .others || asked == .global }
        set { if !newValue, isAskingElsewhere { cancel() } }
    }

    /// Whether a failure is shown; put away in the same way.
    public var isTelling: Bool {
        get { failure != nil }
        set { if !newValue, isTelling { cancel() } }
    }

    /// The dialog's button. Some platforms put a dialog away, and so cancel, before its button acts, and some after:
    /// what was answered counts either way.
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
