// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
public import FarewellUI
public import SwiftUI

@MainActor
extension View {
    /// Disables everything below while the account is deleted, shows the progress (AD-4), and performs the models'
    /// haptic feedback and announcements. It belongs at the root of the app, so that it outlives the settings.
    ///
    /// ```swift
    /// RootView(root) { _ in WelcomeScreen() } signedIn: { _ in AppScreen() }.leaving(account, deletion)
    /// ```
    public func leaving(_ account: AccountModel, _ deletion: DeletionModel) -> some View {
        modifier(DeletionOverlay(deletion))
            .modifier(ScreenEffects(effects: account.effects) { account.takeEffects() })
            .modifier(ScreenEffects(effects: deletion.effects) { deletion.takeEffects() })
    }
}

@MainActor
private struct DeletionOverlay: ViewModifier {
    private let deletion: DeletionModel

    init(_ deletion: DeletionModel) { self.deletion = deletion }

    func body(content: Content) -> some View {
        content
            .disabled(deletion.isDeletingAccount)
            .accessibilityHidden(deletion.isDeletingAccount)
            .overlay { if deletion.isDeletingAccount { DeletionProgressPanel(deletion: deletion) } }
    }
}

/// The same over whatever the row is in, such as a sheet of settings, which the root of the app cannot cover.
@MainActor
struct DeletionCover: ViewModifier {
    @Bindable private var deletion: DeletionModel

    init(_ deletion: DeletionModel) { self.deletion = deletion }

    func body(content: Content) -> some View {
        #if os(macOS)
        content.sheet(isPresented: $deletion.isCovering) {
            DeletionProgressPanel(deletion: deletion).interactiveDismissDisabled()
        }
        #else
        content.fullScreenCover(isPresented: $deletion.isCovering) {
            DeletionProgressPanel(deletion: deletion).presentationBackground(.clear)
        }
        #endif
    }
}

@MainActor
private struct DeletionProgressPanel: View {
    let deletion: DeletionModel

    var body: some View {
        ZStack {
            Color.black.opacity(0.4).ignoresSafeArea()
            VStack(spacing: 16) {
                if let fraction = deletion.fraction {
                    ProgressView(value: fraction)
                } else {
                    ProgressView()
                }
                Text(deletion.copy[.removing]).font(.headline)
            }
            .padding()
            .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 16))
        }
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.isModal)
        .accessibilityLabel(deletion.copy[.removingLabel])
        .accessibilityIdentifier("deletionOverlay")
    }
}
#endif
