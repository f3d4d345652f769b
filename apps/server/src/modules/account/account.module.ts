import { account } from '@oms/contract/account/account.ts'
import { implement } from '#core/http/implement.ts'
import { createCaptcha } from './captcha.ts'
import { login, logout } from './login.service.ts'
import { changePassword, reset, resetCode } from './password.service.ts'
import {
  getProfile,
  endSession,
  listPreferences,
  updateProfile,
  listOwnSessions,
  getPermissions,
  setPreference,
} from './profile.service.ts'
import { register } from './register.service.ts'
import { bindMfa, unbindMfa, verifyMfa } from './totp.ts'

export const accountModule = implement(
  account,
  {
    login,
    captcha: createCaptcha,
    register,
    resetCode,
    reset,
    modifyPassword: changePassword,
    detail: getProfile,
    modify: updateProfile,
    logout,
    perms: getPermissions,
    sessions: listOwnSessions,
    endSession,
    mfaBind: bindMfa,
    mfaVerify: verifyMfa,
    mfaUnbind: unbindMfa,
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
