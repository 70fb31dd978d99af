-- What the app keeps beside AWS: who its people are there, and what Stripe calls them.
CREATE TABLE accounts (
    sub text PRIMARY KEY,
    stripe_customer text,
    created_at timestamptz NOT NULL
);
