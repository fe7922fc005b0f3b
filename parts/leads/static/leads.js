// The screens of leads, which the console has where the service has this part.
import { AddonField, AddonSettings, FormField, getTitles, settingsOf } from "./addon_fields.js";
import { EntryList } from "./entries.js";
import { Entry } from "./entry.js";
import { Form } from "./form.js";
import { FormList } from "./forms.js";
import { RecentLeads } from "./recent.js";

export const additions = { AddonField, AddonSettings, FormField, RecentLeads, getTitles, settingsOf };
export const screens = { forms: [FormList, Form], entries: [EntryList, Entry] };
