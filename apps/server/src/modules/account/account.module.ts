import { account } from '@oms/contract/account/account.ts'
import { implement } from '#core/http/implement.ts'
import { createCaptcha } from './captcha.ts'
import { logIn, logOut } from './login.ts'
import { changePassword, resetForgottenPassword, mailResetCode } from './password.ts'
import {
  getProfile,
  endSession,
  listPreferences,
  updateProfile,
  listOwnSessions,
  getPermissions,
  setPreference,
} from './profile.ts'
import { registerAccount } from './register.ts'
import { bindMfa, unbindMfa, verifyMfa } from './totp.ts'

export const accountModule = implement(
  account,
  {
    login: logIn,
    captcha: createCaptcha,
    register: registerAccount,
    resetCode: mailResetCode,
    reset: resetForgottenPassword,
    modifyPassword: changePassword,
    detail: getProfile,
    modify: updateProfile,
    logout: logOut,
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
