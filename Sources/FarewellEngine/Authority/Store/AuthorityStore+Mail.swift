// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

// MARK: Mails that are wanted

extension AuthorityStore {
    func insert(wish: [UInt8], id: UUID, now: Date) -> SQLStatement {
        SQLStatement(
            "INSERT INTO \(mail) (id, sealed, wanted_at, next_at, attempts) VALUES ($1, $2, $3, $3, 0)",
            [.uuid(id), .bytes(wish), .timestamp(now)])
    }

    /// Takes the oldest one that is due and answers it; nobody else gets it before `until`.
    func claimMail(now: Date, until: Date) -> SQLStatement {
        let skip = dialect == .postgresql ? " FOR UPDATE SKIP LOCKED" : ""
        return SQLStatement(
            """
            UPDATE \(mail) SET next_at = $2, attempts = attempts + 1 WHERE id = \
            (SELECT id FROM \(mail) WHERE next_at <= $1 ORDER BY next_at, id LIMIT 1\(skip)) \
            RETURNING id, sealed, wanted_at, attempts, user_id
            """, [.timestamp(now), .timestamp(until)])
    }

    func postponeMail(_ id: UUID, until: Date) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET next_at = $2 WHERE id = $1", [.uuid(id), .timestamp(until)])
    }

    /// Notes whose it is, once its code has been made good; it goes when they go.
    func prepareMail(_ id: UUID, of user: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(mail) SET user_id = $2 WHERE id = $1", [.uuid(id), .uuid(user)])
    }

    func deleteMail(_ id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE id = $1", [.uuid(id)])
    }

    /// Who is meant, held until the transaction ends: by name where that is known, else by address.
    func recipients(of wish: MailWish) -> SQLStatement {
        let held = dialect == .postgresql ? " FOR UPDATE" : ""
        if let user = wish.user {
            return SQLStatement("SELECT id FROM \(users) WHERE id = $1\(held)", [.uuid(user)])
        }
        let address = AddressCondition(addressColumn(wish.purpose), is: wish.address, at: 1)
        // Of several who want the same new address none is meant.
        let one = wish.purpose == .emailChange ? "" : address.one
        return SQLStatement(
            "SELECT id FROM \(users) WHERE \(address.text) AND \(isNoSSO)\(one)\(held)", address.values)
    }

    private func addressColumn(_ purpose: MailPurpose) -> String {
        purpose == .emailChange ? "email_change" : "email"
    }

    var isNoSSO: String { dialect == .postgresql ? "is_sso_user = false" : "is_sso_user = 0" }

    /// When a mail was sent, as the user object tells; it does not of every purpose.
    func noteMail(_ purpose: MailPurpose, of user: UUID, now: Date) -> [SQLStatement] {
        let column: String? =
            switch purpose {
            case .signUp: "confirmation_sent_at"
            case .recovery: "recovery_sent_at"
            case .emailChange: "email_change_sent_at"
            case .reauthentication: "reauthentication_sent_at"
            case .emailChanged, .erasureRequested: nil
            }
        guard let column else { return [] }
        return [SQLStatement("UPDATE \(users) SET \(column) = $2 WHERE id = $1", [.uuid(user), .timestamp(now)])]
    }
}

// MARK: Codes that were sent

extension AuthorityStore {
    /// Keeps a code in place of an earlier one; affects no row when that was sent within the last minute.
    func keep(_ code: OneTimeCode, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(codes) (user_id, purpose, code_hash, token_hash, sent_at, attempts) \
            VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (user_id, purpose) DO UPDATE SET \
            code_hash = excluded.code_hash, token_hash = excluded.token_hash, sent_at = excluded.sent_at, \
            attempts = 0 WHERE \(codes).sent_at <= $6
            """,
            [
                .uuid(code.user), .text(code.purpose.rawValue), .bytes(code.codeHash), .bytes(code.tokenHash),
                .timestamp(now), .timestamp(now.addingTimeInterval(-60)),
            ])
    }

    /// Whether it is still this code that counts.
    func isKept(_ code: OneTimeCode) -> SQLStatement {
        SQLStatement(
            "SELECT count(*) FROM \(codes) WHERE user_id = $1 AND purpose = $2 AND code_hash = $3",
            [.uuid(code.user), .text(code.purpose.rawValue), .bytes(code.codeHash)])
    }

    /// Counts an attempt and answers whose codes it may have been, while they are young and have attempts left.
    func tryCode(_ purpose: MailPurpose, address: String, oldest: Date) -> SQLStatement {
        let address = AddressCondition(addressColumn(purpose), is: address, at: 3)
        let people = "SELECT id FROM \(users) WHERE \(address.text) AND \(isNoSSO) AND deleted_at IS NULL"
        return SQLStatement(
            "\(attempt) AND user_id IN (\(people)) RETURNING user_id, code_hash",
            [.text(purpose.rawValue), .timestamp(oldest)] + address.values)
    }

    func tryCode(_ purpose: MailPurpose, of user: UUID, oldest: Date) -> SQLStatement {
        SQLStatement(
            "\(attempt) AND user_id = $3 RETURNING user_id, code_hash",
            [.text(purpose.rawValue), .timestamp(oldest), .uuid(user)])
    }

    private var attempt: String {
        "UPDATE \(codes) SET attempts = attempts + 1 WHERE purpose = $1 AND sent_at > $2 AND attempts < 5"
    }

    /// Whose code it is that went out with a token, while it is young.
    func code(withToken hash: [UInt8], _ purpose: MailPurpose, oldest: Date) -> SQLStatement {
        SQLStatement(
            "SELECT user_id, code_hash FROM \(codes) WHERE token_hash = $1 AND purpose = $2 AND sent_at > $3",
            [.bytes(hash), .text(purpose.rawValue), .timestamp(oldest)])
    }

    /// Uses a code up; affects no row when somebody else has.
    func spend(_ hash: [UInt8], of user: UUID, _ purpose: MailPurpose) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(codes) WHERE user_id = $1 AND purpose = $2 AND code_hash = $3",
            [.uuid(user), .text(purpose.rawValue), .bytes(hash)])
    }

    /// After a change of address or password no earlier code counts.
    func forgetCodes(of user: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(codes) WHERE user_id = $1", [.uuid(user)])
    }

    func pruneCodes(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(codes) WHERE sent_at < $1", [.timestamp(before)])
    }

    /// What nobody delivers, for instance because no sender is set up any longer.
    func pruneMail(before: Date) -> SQLStatement {
        SQLStatement("DELETE FROM \(mail) WHERE wanted_at < $1", [.timestamp(before)])
    }
}
