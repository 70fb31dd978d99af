// SPDX-License-Identifier: Apache-2.0

/// The `search_path` of Farewell's sessions: the role's own, without the schema of the control store.
///
/// The app's triggers run in these sessions. A role called `farewell` has that schema first, by PostgreSQL's default
/// `"$user", public`, and the app's unqualified names, such as `events` or `tickets`, would mean Farewell's tables.
enum AppSearchPath {
    private static let own = ControlTables.schema

    /// An expression that leaves the schema out; without effect where the path does not lead to it.
    ///
    /// The schema may not exist yet, so the text of the path decides.
    ///
    /// - Parameter isLocal: Whether the setting ends with the transaction, which suits poolers.
    static func setting(isLocal: Bool) -> String {
        """
        CASE WHEN current_user = '\(own)' OR current_setting('search_path') ~ '(^|[ ,"])\(own)($|[ ,"])' THEN \
        (SELECT set_config('search_path', \
        coalesce(string_agg(quote_ident(path.name), ', ' ORDER BY path.place), ''), \(isLocal)) \
        FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, place) WHERE path.name <> '\(own)') END
        """
    }
}
