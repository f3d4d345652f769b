import { account } from '@oms/contract/account/account.ts'
import { implement } from '#core/http/implement.ts'
import { captcha } from './captcha.ts'
import { login, logout } from './login.service.ts'
import { modifyPassword, reset, resetCode } from './password.service.ts'
import { detail, endSession, listPreferences, modify, ownSessions, perms, setPreference } from './profile.service.ts'
import { register } from './register.service.ts'
import { mfaBind, mfaUnbind, mfaVerify } from './totp.ts'

export const accountModule = implement(
  account,
  {
    login,
    captcha,
    register,
    resetCode,
    reset,
    modifyPassword,
    detail,
    modify,
    logout,
    perms,
    sessions: ownSessions,
    endSession,
    mfaBind,
    mfaVerify,
    mfaUnbind,
    preferences: listPreferences,
    setPreference,
  },
  // Outside a transaction: password hashing takes long, and failures must stay counted when the request is refused.
  {
    outsideTransaction: [
      'login',
      'captcha',
      'register',
      'resetCode',
      'reset',
      'modifyPassword',
      'mfaBind',
      'mfaUnbind',
    ],
  },
)
