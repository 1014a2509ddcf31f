-- Which of the members of its lists a campaign goes to: conditions as JSON; all of them must hold.
ALTER TABLE campaign_content ADD COLUMN filter text NOT NULL DEFAULT '[]';
