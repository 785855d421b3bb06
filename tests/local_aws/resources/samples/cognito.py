"""Samples of Cognito's user pools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import Sample

GROUND: dict[str, dict[str, Any]] = {
    "Pool": {"Type": "AWS::Cognito::UserPool", "Properties": {"UserPoolName": "ground"}},
    "PoolGroup": {
        "Type": "AWS::Cognito::UserPoolGroup",
        "Properties": {"UserPoolId": {"Ref": "Pool"}, "GroupName": "ground"},
    },
    "PoolUser": {
        "Type": "AWS::Cognito::UserPoolUser",
        "Properties": {"UserPoolId": {"Ref": "Pool"}, "Username": "ground"},
    },
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::Cognito::UserPool": (
        Sample(
            ("cognito-idp DescribeUserPool UserPoolId={Ref}",),
            {
                "AccountRecoverySetting": {
                    "RecoveryMechanisms": [{"Name": "admin_only", "Priority": 1}]
                },
                "AdminCreateUserConfig": {
                    "AllowAdminCreateUserOnly": True,
                    "InviteMessageTemplate": {
                        "EmailMessage": "invited {username} {####}",
                        "EmailSubject": "invited",
                        "SMSMessage": "by phone {username} {####}",
                    },
                    "UnusedAccountValidityDays": 37,
                },
                "AliasAttributes": ["preferred_username"],
                "AutoVerifiedAttributes": ["phone_number"],
                "DeletionProtection": "INACTIVE",
                "DeviceConfiguration": {
                    "ChallengeRequiredOnNewDevice": True,
                    "DeviceOnlyRememberedOnUserPrompt": True,
                },
                "EmailConfiguration": {
                    "ConfigurationSet": "lost-set",
                    "EmailSendingAccount": "DEVELOPER",
                    "From": "lost@example.com",
                    "ReplyToEmailAddress": "found@example.com",
                    "SourceArn": "arn:aws:ses:eu-west-1:123456789012:identity/example.com",
                },
                "EmailVerificationMessage": "verify {####}",
                "EmailVerificationSubject": "verify",
                "IssuerConfiguration": {"Type": "ORIGINAL"},
                "KeyConfiguration": {
                    "KeyType": "CUSTOMER_MANAGED_KEY",
                    "KmsKeyArn": "$Key.Arn",
                },
                "MfaConfiguration": "OPTIONAL",
                "Policies": {
                    "PasswordPolicy": {
                        "MinimumLength": 13,
                        "PasswordHistorySize": 11,
                        "RequireLowercase": True,
                        "RequireNumbers": True,
                        "RequireSymbols": True,
                        "RequireUppercase": True,
                        "TemporaryPasswordValidityDays": 17,
                    },
                    "SignInPolicy": {"AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]},
                },
                "Schema": [
                    {
                        "AttributeDataType": "Number",
                        "DeveloperOnlyAttribute": False,
                        "Mutable": True,
                        "Name": "shelf",
                        "NumberAttributeConstraints": {"MaxValue": "73", "MinValue": "71"},
                        "Required": False,
                    },
                    {
                        "AttributeDataType": "String",
                        "Name": "place",
                        "StringAttributeConstraints": {"MaxLength": "41", "MinLength": "31"},
                    },
                ],
                "SmsAuthenticationMessage": "enter {####}",
                "SmsConfiguration": {
                    "EumsSms": {
                        "CallerArn": "$Role.Arn",
                        "ConfigurationSetName": "lost-sms",
                        "ExternalId": "eums",
                        "InEntityId": "entity",
                        "InTemplateId": "template",
                        "OriginationIdentity": "+12065550100",
                        "Region": "eu-west-2",
                    },
                    "ExternalId": "sms",
                    "SnsCallerArn": "$Role.Arn",
                    "SnsRegion": "eu-west-3",
                },
                "SmsVerificationMessage": "verify by phone {####}",
                "UserAttributeUpdateSettings": {
                    "AttributesRequireVerificationBeforeUpdate": ["email"]
                },
                "UserPoolAddOns": {
                    "AdvancedSecurityAdditionalFlows": {"CustomAuthMode": "ENFORCED"},
                    "AdvancedSecurityMode": "AUDIT",
                },
                "UserPoolName": "lost",
                "UserPoolTags": {"team": "lost and found"},
                "UserPoolTier": "PLUS",
                "UsernameAttributes": ["email"],
                "UsernameConfiguration": {"CaseSensitive": True},
                "VerificationMessageTemplate": {
                    "DefaultEmailOption": "CONFIRM_WITH_LINK",
                    "EmailMessage": "template {####}",
                    "EmailMessageByLink": "by link {##here##}",
                    "EmailSubject": "template",
                    "EmailSubjectByLink": "by link",
                    "SmsMessage": "template by phone {####}",
                },
            },
        ),
    ),
    "AWS::Cognito::UserPoolClient": (
        Sample(
            ("cognito-idp DescribeUserPoolClient UserPoolId=$Pool ClientId={Ref}",),
            {
                "AccessTokenValidity": 17,
                "AllowedOAuthFlows": ["code"],
                "AllowedOAuthFlowsUserPoolClient": True,
                "AllowedOAuthScopes": ["openid"],
                "AnalyticsConfiguration": {
                    "ApplicationArn": "arn:aws:mobiletargeting:eu-west-1:123456789012:apps/lost",
                    "ApplicationId": "0123456789abcdef0123456789abcdef",
                    "ExternalId": "found",
                    "RoleArn": "$Role.Arn",
                    "UserDataShared": True,
                },
                "AuthSessionValidity": 7,
                "CallbackURLs": ["https://lost.example/in"],
                "ClientName": "client",
                "DefaultRedirectURI": "https://lost.example/in",
                "EnablePropagateAdditionalUserContextData": True,
                "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"],
                "GenerateSecret": True,
                "IdTokenValidity": 19,
                "LogoutURLs": ["https://lost.example/out"],
                "PreventUserExistenceErrors": "ENABLED",
                "ReadAttributes": ["email"],
                "RefreshTokenRotation": {"Feature": "ENABLED", "RetryGracePeriodSeconds": 23},
                "RefreshTokenValidity": 29,
                "SupportedIdentityProviders": ["COGNITO"],
                "TokenValidityUnits": {
                    "AccessToken": "minutes",
                    "IdToken": "hours",
                    "RefreshToken": "days",
                },
                "UserPoolId": "$Pool",
                "WriteAttributes": ["name"],
            },
            unread={"GenerateSecret": "there is a secret"},
        ),
        Sample(
            ("cognito-idp DescribeUserPoolClient UserPoolId=$Pool ClientId={Ref}",),
            {"EnableTokenRevocation": False, "UserPoolId": "$Pool"},
        ),
    ),
    "AWS::Cognito::UserPoolGroup": (
        Sample(
            ("cognito-idp GetGroup UserPoolId=$Pool GroupName={Ref}",),
            {
                "Description": "lost and found",
                "GroupName": "lost",
                "Precedence": 37,
                "RoleArn": "$Role.Arn",
                "UserPoolId": "$Pool",
            },
        ),
    ),
    "AWS::Cognito::UserPoolUser": (
        Sample(
            ("cognito-idp AdminGetUser UserPoolId=$Pool Username={Ref}",),
            {
                "MessageAction": "SUPPRESS",
                "UserAttributes": [{"Name": "nickname", "Value": "finder"}],
                "UserPoolId": "$Pool",
                "Username": "lost",
            },
            unread={"MessageAction": "no message is sent", "UserAttributes.Name": "its key"},
        ),
    ),
    "AWS::Cognito::UserPoolUserToGroupAttachment": (
        Sample(
            ("cognito-idp AdminListGroupsForUser UserPoolId=$Pool Username=$PoolUser",),
            {"GroupName": "$PoolGroup", "UserPoolId": "$Pool", "Username": "$PoolUser"},
        ),
    ),
}
