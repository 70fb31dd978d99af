"""Deletes accounts of Examples/coachme one at a time with Django's collector.

    collector.py postgresql://user@host:port/name [requests]

Reads keys, one a line. An empty line ends a batch: each account of it is loaded and deleted by `instance.delete()`, in a
transaction of its own, on one connection that stays open. Then it writes how many accounts are gone, and waits for the
next batch. The models are what an app on this schema would have, each key with CASCADE, as in the database.

With `requests`, each account leaves by a request of its own to a view, with the settings that `startproject` writes where
they concern it: a connection for each request. The request enters Django's WSGI handler without a network.
"""

import io
import sys
from urllib.parse import urlsplit

import django
from django.conf import settings

address = urlsplit(sys.argv[1])
by_request = sys.argv[2:] == ["requests"]
settings.configure(
    ALLOWED_HOSTS=["localhost"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": address.path.lstrip("/"),
            "USER": address.username or "",
            "PASSWORD": address.password or "",
            "HOST": address.hostname or "",
            "PORT": address.port or "",
            "CONN_MAX_AGE": 0 if by_request else None,
        }
    },
    USE_TZ=True,
)
django.setup()

from django.core.handlers.wsgi import WSGIHandler  # noqa: E402  (these need the settings)
from django.db import models  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402


class Table(models.Model):
    class Meta:
        abstract = True
        app_label = "coachme"
        managed = False


class Account(Table):
    id = models.UUIDField(primary_key=True)
    aud = models.TextField()
    role = models.TextField()
    email = models.CharField(max_length=255, null=True, unique=True)
    phone = models.TextField(null=True, unique=True)
    encrypted_password = models.CharField(max_length=255, null=True)
    email_confirmed_at = models.DateTimeField(null=True)
    last_sign_in_at = models.DateTimeField(null=True)
    raw_app_meta_data = models.JSONField(null=True)
    raw_user_meta_data = models.JSONField(null=True)
    is_anonymous = models.BooleanField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"auth"."users"'


class User(Table):
    account = models.OneToOneField(Account, models.CASCADE, primary_key=True, db_column="id")
    email = models.TextField()
    display_name = models.TextField()
    time_zone = models.TextField()
    subscription_status = models.TextField()
    onboarded_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"public"."users"'


class Conversation(Table):
    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(User, models.CASCADE)
    title = models.TextField(null=True)
    is_archived = models.BooleanField()
    created_at = models.DateTimeField()
    last_message_at = models.DateTimeField(null=True)

    class Meta(Table.Meta):
        db_table = '"public"."conversations"'


class Message(Table):
    id = models.UUIDField(primary_key=True)
    conversation = models.ForeignKey(Conversation, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    role = models.TextField()
    content = models.TextField()
    token_count = models.IntegerField(null=True)
    created_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"public"."messages"'


class ContextProfile(Table):
    id = models.UUIDField(primary_key=True)
    user = models.OneToOneField(User, models.CASCADE)
    summary = models.TextField(null=True)
    goals = models.JSONField()
    updated_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"public"."context_profiles"'


class UsageLog(Table):
    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(Account, models.CASCADE)
    message = models.ForeignKey(Message, models.CASCADE, null=True)
    model = models.TextField()
    input_tokens = models.IntegerField()
    output_tokens = models.IntegerField()
    cost_usd = models.DecimalField(max_digits=10, decimal_places=6)
    created_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"public"."usage_logs"'


class PatternSynthesis(Table):
    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(User, models.CASCADE)
    pattern = models.TextField()
    evidence = models.JSONField()
    confidence = models.FloatField()
    created_at = models.DateTimeField()

    class Meta(Table.Meta):
        db_table = '"public"."pattern_syntheses"'


def leave(request, key):
    """The view: deletes the account."""
    Account.objects.get(pk=key).delete()
    return HttpResponse(status=204)


urlpatterns = [path("accounts/<uuid:key>", leave)]


def leave_by_request(handler, key):
    """Sends the request, as a WSGI server does."""
    response = handler(
        {
            "REQUEST_METHOD": "DELETE",
            "PATH_INFO": f"/accounts/{key}",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(),
        },
        lambda status, headers: None,
    )
    response.close()


def delete(keys):
    """Deletes each account, and counts those that are gone."""
    handler = WSGIHandler() if by_request else None
    for key in keys:
        if handler:
            leave_by_request(handler, key)
        else:
            Account.objects.get(pk=key).delete()
    return len(keys) - Account.objects.filter(pk__in=keys).count()


print("Ready", flush=True)
batch = []
for line in sys.stdin:
    if line.strip():
        batch.append(line.strip())
        continue
    print(delete(batch), flush=True)
    batch = []
